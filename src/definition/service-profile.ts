import type { ErrorCode } from "../base/errors/error-codes.ts";

/** The behaviour of a registration where its specification and the standard differ. */
export interface ServiceProfile {
  readonly name: "specification" | "standard";
  /** Whether sets support `$apply` and `$compute` unless they say otherwise. */
  readonly aggregates: boolean;
  /** Whether bodies link to existing entities by `Nav@odata.bind`, unless sets say otherwise. */
  readonly bindsEntities: boolean;
  /** Whether system query options may lack their `$`, as in OData 4.01; otherwise such names are custom options. */
  readonly signIsOptional: boolean;
  /** Whether operators, `asc` and `desc` may be in any letter case, as in OData 4.01; otherwise in lower case. */
  readonly operatorsInAnyCase: boolean;
  /** Whether navigation routes support every query option. */
  readonly navigationTakesEveryOption: boolean;
  /** Whether `$count` on navigation routes counts before `$skip`. */
  readonly navigationCountsBeforeSkip: boolean;
  /** Whether every result of an operation has a context URL; otherwise most results are bare JSON. */
  readonly resultsEnveloped: boolean;
  /** Whether entities that operations return accept `$select` and `$expand`. */
  readonly resultsTakeSelectExpand: boolean;
  /** Whether a context URL with a `$select` also lists the expanded navigation properties. */
  readonly fullContextUrl: boolean;
  /** Whether the context URL of a navigation route names the target set; otherwise it repeats the path. */
  readonly relatedContextOfTarget: boolean;
  /** Whether a single-valued navigation without a related entity returns 204; otherwise 404, as for a missing parent. */
  readonly nullEntityIsEmpty: boolean;
  /** Whether a POST with nested entities to a set without deep insert is rejected; otherwise they are ignored. */
  readonly refusesIgnoredNesting: boolean;
  /** Whether the body of a complex property is the complex value itself; otherwise the value is in `value`. */
  readonly complexValuesBare: boolean;
  /** Whether PATCH of a complex property changes the members in the body; otherwise it returns 400. */
  readonly patchesComplexProperties: boolean;
  /** Whether key members in the bodies of PUT and PATCH are ignored; otherwise they must equal the key in the URL. */
  readonly ignoresBodyKeys: boolean;
  /** Whether `/$value` of null returns 204; otherwise 404. */
  readonly nullRawValueIsEmpty: boolean;
  /** Whether PUT and DELETE of `/$value` write all Binary properties, or only those with a declared media type. */
  readonly takesRawBytes: boolean;
  /** Whether `$metadata` accepts `$format=xml`. */
  readonly metadataTakesXmlFormat: boolean;
  /** Whether `$metadata?$format=json` is CSDL JSON; otherwise XML. */
  readonly metadataAsJson: boolean;
  /** Whether a client that accepts only HTML gets the page at the root; otherwise 406. */
  readonly servesPageWithoutJson: boolean;
  /** Whether the service document lists actions, and functions with parameters. */
  readonly listsEveryImport: boolean;
  /** The error code of all valid requests that the service does not support; null for different codes. */
  readonly unsupportedCode: ErrorCode | null;
  /** Whether a 204 response to PATCH, and to POST of a reference, has the header OData-EntityId. */
  readonly changeNamesEntity: boolean;
  /** Whether entities without a set have the `@odata.id` null with full metadata; otherwise they have none. */
  readonly marksTransientEntities: boolean;
  /** Whether operations of a batch may have the URL `""` in JSON, and references such as `/$1`. */
  readonly batchTakesLooseUrls: boolean;
  /** Whether unknown parameters of media types in `Accept` and `$format` make them unacceptable. */
  readonly mediaParameters: "strict" | "lenient";
  /**
   * Whether paths end after the first property or navigation of an entity, or lead further: into complex values, to the number of
   * their items, along several navigations, to writes of related entities, and to references of entities and sets.
   */
  readonly pathReach: "first" | "further";
  /** Whether PUT evaluates every If-None-Match; otherwise only `*`, in sets with `allowUpsert`. */
  readonly putChecksIfNoneMatch: boolean;
  /** Whether an error lists all faults of a body, with targets such as `Lines(0)/Qty`; otherwise the first, `Lines/0/Qty`. */
  readonly findsEveryFault: boolean;
  /** Whether bodies may have a timestamp at 00:00 UTC for a Date, and a date for midnight UTC of a DateTimeOffset. */
  readonly takesScriptDates: boolean;
  /** Whether null and literal defaults of properties that the user may not write count as absent. */
  readonly takesWholeRows: boolean;
  /** Whether an absent body of an action counts as `{}` where all of its parameters may be absent. */
  readonly absentBodyIsEmpty: boolean;
}

/** The two profiles. @see docs/reference/services.md, The profile of the standard */
export const SERVICE_PROFILES: Readonly<Record<ServiceProfile["name"], ServiceProfile>> = Object.freeze({
  specification: Object.freeze({
    name: "specification",
    aggregates: false,
    bindsEntities: false,
    signIsOptional: false,
    operatorsInAnyCase: false,
    navigationTakesEveryOption: false,
    navigationCountsBeforeSkip: false,
    resultsEnveloped: false,
    resultsTakeSelectExpand: false,
    fullContextUrl: false,
    relatedContextOfTarget: false,
    nullEntityIsEmpty: false,
    refusesIgnoredNesting: false,
    complexValuesBare: false,
    patchesComplexProperties: false,
    ignoresBodyKeys: false,
    nullRawValueIsEmpty: false,
    takesRawBytes: false,
    metadataTakesXmlFormat: false,
    metadataAsJson: false,
    servesPageWithoutJson: false,
    listsEveryImport: true,
    unsupportedCode: null,
    changeNamesEntity: false,
    marksTransientEntities: false,
    batchTakesLooseUrls: false,
    mediaParameters: "lenient",
    pathReach: "first",
    putChecksIfNoneMatch: false,
    findsEveryFault: false,
    takesScriptDates: false,
    takesWholeRows: false,
    absentBodyIsEmpty: false,
  }),
  standard: Object.freeze({
    name: "standard",
    aggregates: true,
    bindsEntities: true,
    signIsOptional: true,
    operatorsInAnyCase: true,
    navigationTakesEveryOption: true,
    navigationCountsBeforeSkip: true,
    resultsEnveloped: true,
    resultsTakeSelectExpand: true,
    fullContextUrl: true,
    relatedContextOfTarget: true,
    nullEntityIsEmpty: true,
    refusesIgnoredNesting: true,
    complexValuesBare: true,
    patchesComplexProperties: true,
    ignoresBodyKeys: true,
    nullRawValueIsEmpty: true,
    takesRawBytes: true,
    metadataTakesXmlFormat: true,
    metadataAsJson: true,
    servesPageWithoutJson: true,
    listsEveryImport: false,
    unsupportedCode: "NotImplemented",
    changeNamesEntity: true,
    marksTransientEntities: true,
    batchTakesLooseUrls: true,
    mediaParameters: "strict",
    pathReach: "further",
    putChecksIfNoneMatch: true,
    findsEveryFault: true,
    takesScriptDates: true,
    takesWholeRows: true,
    absentBodyIsEmpty: true,
  }),
});
