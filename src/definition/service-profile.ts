import type { ErrorCode } from "../errors/error-codes.ts";

/** Where a registration follows its specification or the standard to the letter: one frozen data object, no code paths. */
export interface ServiceProfile {
  readonly name: "specification" | "standard";
  /** Whether navigation routes take every query option. */
  readonly navigationTakesEveryOption: boolean;
  /** Whether `$count` on navigation routes is taken before `$skip`. */
  readonly navigationCountsBeforeSkip: boolean;
  /** Whether every result of an operation has a context URL; if not, most results are bare JSON. */
  readonly resultsEnveloped: boolean;
  /** Whether a context URL with a `$select` also lists the navigation properties that are expanded. */
  readonly fullContextUrl: boolean;
  /** Whether the context URL of a navigation route names the target set; if not, it repeats the path. */
  readonly relatedContextOfTarget: boolean;
  /** Whether a single-valued navigation that leads nowhere is 204; if not, it is 404 as for a missing parent. */
  readonly nullEntityIsEmpty: boolean;
  /** Whether nested entities are refused in a POST to a set without deep insert; if not, they are ignored. */
  readonly refusesIgnoredNesting: boolean;
  /** Whether the body of a complex property is the complex value itself; if not, the body has it in `value`. */
  readonly complexValuesBare: boolean;
  /** Whether PATCH of a complex property changes the members that its body has; if not, it is 400. */
  readonly patchesComplexProperties: boolean;
  /** Whether key members in the bodies of PUT and PATCH are ignored; if not, they must equal the key of the URL. */
  readonly ignoresBodyKeys: boolean;
  /** Whether `/$value` of null is 204; if not, it is 404. */
  readonly nullRawValueIsEmpty: boolean;
  /** Whether `$metadata` accepts `$format=xml`. */
  readonly metadataTakesXmlFormat: boolean;
  /** Whether the service document lists actions, and functions with parameters. */
  readonly listsEveryImport: boolean;
  /** The code of valid requests for something that the service does not support; null: their codes differ. */
  readonly unsupportedCode: ErrorCode | null;
  /** Whether a PATCH that returns no content names the entity in OData-EntityId. */
  readonly patchNamesEntity: boolean;
  /** Whether PUT evaluates every If-None-Match, and not only `*` where it may create. */
  readonly putChecksIfNoneMatch: boolean;
}

/** The two profiles. @see docs/reference/services.md, The profile of the standard */
export const SERVICE_PROFILES: Readonly<Record<ServiceProfile["name"], ServiceProfile>> = Object.freeze({
  specification: Object.freeze({
    name: "specification",
    navigationTakesEveryOption: false,
    navigationCountsBeforeSkip: false,
    resultsEnveloped: false,
    fullContextUrl: false,
    relatedContextOfTarget: false,
    nullEntityIsEmpty: false,
    refusesIgnoredNesting: false,
    complexValuesBare: false,
    patchesComplexProperties: false,
    ignoresBodyKeys: false,
    nullRawValueIsEmpty: false,
    metadataTakesXmlFormat: false,
    listsEveryImport: true,
    unsupportedCode: null,
    patchNamesEntity: false,
    putChecksIfNoneMatch: false,
  }),
  standard: Object.freeze({
    name: "standard",
    navigationTakesEveryOption: true,
    navigationCountsBeforeSkip: true,
    resultsEnveloped: true,
    fullContextUrl: true,
    relatedContextOfTarget: true,
    nullEntityIsEmpty: true,
    refusesIgnoredNesting: true,
    complexValuesBare: true,
    patchesComplexProperties: true,
    ignoresBodyKeys: true,
    nullRawValueIsEmpty: true,
    metadataTakesXmlFormat: true,
    listsEveryImport: false,
    unsupportedCode: "NotImplemented",
    patchNamesEntity: true,
    putChecksIfNoneMatch: true,
  }),
});
