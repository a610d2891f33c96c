import { ODataError } from "../../base/errors/odata-error.ts";
import { attempt } from "../../base/maybe.ts";
import type { Operation, StructuralProperty } from "../../edm/model.ts";
import type { Capabilities } from "../query/capabilities.ts";
import {
  type OptionNames,
  parseQueryOptions,
  parseQueryString,
  type QueryOptionsSyntax,
  withSign,
} from "../syntax/query-options-parser.ts";
import { misplacedOption, unsupportedOption } from "./binding-scope.ts";

/** `GET /Set`. */
export const COLLECTION_OPTIONS: OptionRules = {
  offered: new Set([
    "$filter",
    "$orderby",
    "$top",
    "$skip",
    "$count",
    "$search",
    "$select",
    "$expand",
    "$skiptoken",
    "$format",
    "$apply",
    "$compute",
  ]),
  resource: "a collection",
  isWholeSet: true,
};

/** `GET /Set/$count`. */
export const COUNT_OPTIONS: OptionRules = {
  offered: new Set(["$filter", "$search", "$orderby", "$top", "$skip", "$select", "$format", "$apply", "$compute"]),
  resource: "/$count",
  isWholeSet: true,
};

/** `GET /Set(key)`. */
export const ENTITY_OPTIONS: OptionRules = {
  offered: new Set(["$select", "$expand", "$format", "$compute"]),
  resource: "a single entity",
};

/** A resource that supports only `$format`. */
export const NO_OPTIONS: OptionRules = { offered: new Set(["$format"]), resource: "this resource" };

/** A primitive or enumeration value. */
const VALUE_OPTIONS: OptionRules = { ...NO_OPTIONS, misplaced: new Set(["$apply", "$compute"]) };

/** A complex value. The standard also defines `$select` and `$expand` for it. */
const COMPLEX_VALUE_OPTIONS: OptionRules = { ...NO_OPTIONS, unsupported: new Set(["$select", "$expand"]) };

/** A collection of values, which the standard also filters, orders and pages. */
const VALUES_OPTIONS: OptionRules = {
  ...NO_OPTIONS,
  unsupported: new Set(["$filter", "$orderby", "$top", "$skip", "$count", "$search", "$skiptoken"]),
};

/** An entity that an operation returns. */
const ENTITY_RESULT_OPTIONS: OptionRules = { ...NO_OPTIONS, unsupported: ENTITY_OPTIONS.offered };

/** Entities that an operation without query options returns. */
const ENTITIES_RESULT_OPTIONS: OptionRules = { ...NO_OPTIONS, unsupported: COLLECTION_OPTIONS.offered };

/** The entities that an operation returns, in a profile that shapes them. @see docs/reference/operations.md */
export const SHAPED_RESULT_OPTIONS: Readonly<Record<"entity" | "entities", OptionRules>> = Object.freeze({
  entity: { ...ENTITY_RESULT_OPTIONS, offered: new Set(["$select", "$expand", "$format"]) },
  entities: { ...ENTITIES_RESULT_OPTIONS, offered: new Set(["$select", "$expand", "$format"]) },
});

/** `GET /Set(key)/Nav` of a collection. @see docs/reference/navigation.md */
const RELATED_COLLECTION_OPTIONS: OptionRules = {
  offered: new Set(["$orderby", "$top", "$skip", "$count", "$select", "$format"]),
  resource: "a navigation route",
};

/** `GET /Set(key)/Nav/$count`. @see docs/reference/navigation.md */
const RELATED_COUNT_OPTIONS: OptionRules = {
  offered: new Set(["$orderby", "$top", "$skip", "$select", "$format"]),
  resource: "the count of a navigation route",
};

/** `GET /Set(key)/Nav` of a single entity, and `GET /Set(key)/Nav(key)`. */
const RELATED_ENTITY_OPTIONS: OptionRules = {
  offered: new Set(["$select", "$format"]),
  resource: "a navigation route to a single entity",
};

/** `DELETE /Set(key)/Nav/$ref` of a collection. @see docs/reference/navigation.md */
export const REMOVED_LINK_OPTIONS: OptionRules = {
  offered: new Set(["$id", "$format"]),
  resource: "a link to remove",
};

/** `POST /Set`, `PUT` and `PATCH /Set(key)`: the options shape the returned entity. */
export const WRITTEN_ENTITY_OPTIONS: OptionRules = {
  offered: new Set(["$select", "$expand", "$format"]),
  resource: "a write of an entity",
};

/** `GET /Set(key)/Nav/$ref` of a collection. @see docs/reference/navigation.md */
const RELATED_REFERENCES_OPTIONS: OptionRules = {
  offered: new Set(["$orderby", "$top", "$skip", "$count", "$format"]),
  resource: "references",
};

/** `GET /Set/$ref`. @see docs/reference/navigation.md */
export const REFERENCES_OPTIONS: OptionRules = {
  offered: new Set([...RELATED_REFERENCES_OPTIONS.offered, "$filter", "$search", "$skiptoken"]),
  resource: "references",
};

/** `GET /Set(key)/$ref`, and `GET /Set(key)/Nav/$ref` of a single entity. @see docs/reference/navigation.md */
export const REFERENCE_OPTIONS: OptionRules = { offered: new Set(["$format"]), resource: "a reference" };

/**
 * The results of composable functions: entities of the set they are bound to, and complex values. A bare array has no count.
 * @see docs/reference/operations.md
 */
export const COMPOSED_OPTIONS: Readonly<Record<"entities" | "bareEntities" | "values" | "bareValues", OptionRules>> =
  Object.freeze({
    entities: {
      offered: new Set([
        "$filter",
        "$orderby",
        "$top",
        "$skip",
        "$count",
        "$select",
        "$expand",
        "$format",
        "$apply",
        "$compute",
      ]),
      unsupported: new Set(["$search", "$skiptoken"]),
      resource: "the result of a function",
    },
    bareEntities: {
      offered: new Set(["$filter", "$orderby", "$top", "$skip", "$select", "$expand", "$format"]),
      unsupported: new Set(["$search", "$skiptoken", "$count"]),
      resource: "the bare result of a function",
    },
    values: {
      offered: new Set(["$filter", "$orderby", "$top", "$skip", "$count", "$select", "$format"]),
      unsupported: new Set(["$search", "$skiptoken", "$expand"]),
      resource: "the result of a function",
    },
    bareValues: {
      offered: new Set(["$filter", "$orderby", "$top", "$skip", "$select", "$format"]),
      unsupported: new Set(["$search", "$skiptoken", "$count", "$expand"]),
      resource: "the bare result of a function",
    },
  });

/** Returns the options for the result of an operation without query options. */
export function resultOptions({ returnType }: Pick<Operation, "returnType">): OptionRules {
  if (returnType === undefined) return NO_OPTIONS;
  const { type, isCollection } = returnType;
  if (type.kind !== "EntityType") return valueOptions({ type, isCollection });
  return isCollection ? ENTITIES_RESULT_OPTIONS : ENTITY_RESULT_OPTIONS;
}

/** Returns the options for a value that is a resource, such as a property. */
export function valueOptions({ type, isCollection }: Pick<StructuralProperty, "type" | "isCollection">): OptionRules {
  if (isCollection) return VALUES_OPTIONS;
  return type.kind === "ComplexType" ? COMPLEX_VALUE_OPTIONS : VALUE_OPTIONS;
}

/** The options of all routes of a navigation property. */
export interface NavigationOptions {
  /** `GET /Set(key)/Nav` of a collection. */
  readonly collection: OptionRules;
  /** `GET /Set(key)/Nav/$count`. */
  readonly count: OptionRules;
  /** `GET /Set(key)/Nav` of a single entity, and `GET /Set(key)/Nav(key)`. */
  readonly entity: OptionRules;
  /** `POST /Set(key)/Nav`: the options shape the returned entity. */
  readonly written: OptionRules;
  /** `GET /Set(key)/Nav/$ref` of a collection. */
  readonly references: OptionRules;
  /** `GET /Set(key)/Nav/$ref` of a single entity. */
  readonly reference: OptionRules;
}

const SPECIFIED_NAVIGATION: NavigationOptions = Object.freeze({
  collection: RELATED_COLLECTION_OPTIONS,
  count: RELATED_COUNT_OPTIONS,
  entity: RELATED_ENTITY_OPTIONS,
  written: RELATED_ENTITY_OPTIONS,
  references: RELATED_REFERENCES_OPTIONS,
  reference: REFERENCE_OPTIONS,
});

const STANDARD_NAVIGATION: NavigationOptions = Object.freeze({
  collection: { ...RELATED_COLLECTION_OPTIONS, offered: COLLECTION_OPTIONS.offered },
  count: { ...RELATED_COUNT_OPTIONS, offered: COUNT_OPTIONS.offered },
  entity: { ...RELATED_ENTITY_OPTIONS, offered: ENTITY_OPTIONS.offered },
  written: { ...RELATED_ENTITY_OPTIONS, offered: WRITTEN_ENTITY_OPTIONS.offered },
  references: REFERENCES_OPTIONS,
  reference: REFERENCE_OPTIONS,
});

/**
 * Returns the options of navigation routes.
 * @param takesEveryOption whether they support the same options as the routes of sets; the profile decides
 * @see OData Protocol 4.0, section 11.2.5
 */
export function navigationOptions(takesEveryOption: boolean): NavigationOptions {
  return takesEveryOption ? STANDARD_NAVIGATION : SPECIFIED_NAVIGATION;
}

/** The options that a setting enables, with that setting. */
const FLAGS = {
  $filter: "filterEnabled",
  $orderby: "orderByEnabled",
  $select: "selectEnabled",
  $expand: "expandEnabled",
  $count: "countEnabled",
  $search: "searchEnabled",
} as const satisfies Readonly<Record<string, keyof Capabilities>>;

/** Options of the standard that no resource supports. */
const NEVER_OFFERED: ReadonlySet<string> = new Set(["$index", "$deltatoken"]);

/** Options that a set may support. The others know nothing of them. */
const SOMETIMES_OFFERED = { $apply: "applyEnabled", $compute: "computeEnabled" } as const;

/** Returns whether a set does not support an option of the standard, on any resource. */
function isUnknown(option: string, capabilities: Capabilities | null): boolean {
  if (option !== "$apply" && option !== "$compute") return NEVER_OFFERED.has(option);
  return capabilities?.[SOMETIMES_OFFERED[option]] !== true;
}

/** The query options of a resource. */
export interface OptionRules {
  /** The supported options. */
  readonly offered: ReadonlySet<string>;
  /** The options that the standard has for such a resource and the service does not support; absent: none. */
  readonly unsupported?: ReadonlySet<string> | undefined;
  /** The options of which the standard says that such a resource does not have them; absent: none. */
  readonly misplaced?: ReadonlySet<string> | undefined;
  /** Whether the resource contains all entities of a set; absent: no. */
  readonly isWholeSet?: true | undefined;
  /** The resource in messages, such as `a collection`. */
  readonly resource: string;
}

/**
 * Refuses options that the resource does not support or the set disables, whatever their values.
 * @param options the names of the system query options of the request
 * @param capabilities null for a resource without a set
 * @throws ODataError `UnsupportedQueryOption`
 * @see docs/reference/query-options.md
 */
export function checkCapabilities(
  options: Iterable<string>,
  rules: OptionRules,
  capabilities: Capabilities | null,
): void {
  for (const option of options) {
    if (isUnknown(option, capabilities)) {
      const refuse = rules.misplaced?.has(option) === true ? misplacedOption : unsupportedOption;
      throw refuse(option, undefined, `The query option ${option} is not supported.`);
    }
    if (!rules.offered.has(option)) {
      const refuse = rules.unsupported?.has(option) === true ? unsupportedOption : misplacedOption;
      throw refuse(option, undefined, `The query option ${option} is not supported on ${rules.resource}.`);
    }
    if (capabilities !== null && isFlagged(option) && !capabilities[FLAGS[option]]) {
      throw unsupportedOption(option, undefined, `The query option ${option} is not enabled for this entity set.`);
    }
  }
}

function isFlagged(option: string): option is keyof typeof FLAGS {
  return Object.hasOwn(FLAGS, option);
}

/** Query options with the first fault in them, which is reported after the checks that precede it. */
export interface QueryOptionsReading {
  readonly options: QueryOptionsSyntax;
  /** The text of `$format`, which is checked before all other options. */
  readonly format: string | undefined;
  /** The first fault of the other options; undefined if they are readable. */
  readonly fault: ODataError | undefined;
}

const NOTHING: QueryOptionsSyntax = {
  pairs: [],
  system: new Map(),
  aliases: new Map(),
  custom: new Map(),
  similar: new Map(),
  signIsOptional: false,
  operatorsInAnyCase: false,
};

const NOTHING_READ: QueryOptionsReading = Object.freeze({ options: NOTHING, format: undefined, fault: undefined });

/**
 * Reads the options of a query string. It returns a fault instead of throwing, because `$format`, Accept and the key are
 * checked first.
 * @param query the raw query string
 * @param names how names without `$` are read
 */
export function readQueryOptions(query: string, names: OptionNames): QueryOptionsReading {
  if (query === "") return NOTHING_READ;
  const options = attempt(() => parseQueryOptions(query, names), ODataError);
  if (options instanceof ODataError) return { ...readLeniently(query, names), fault: options };
  return { options, format: options.system.get("$format"), fault: undefined };
}

/** Returns `$format` and the aliases of a faulty query string, which the checks before the options need. */
function readLeniently(query: string, names: OptionNames): Omit<QueryOptionsReading, "fault"> {
  const read = attempt(() => parseQueryString(query), ODataError);
  const pairs = read instanceof ODataError ? [] : read.map((pair) => withSign(pair, names));
  const aliases = new Map(pairs.filter(({ name }) => name.startsWith("@")).map(({ name, value }) => [name, value]));
  const format = pairs.find(({ name }) => name === "$format")?.value;
  return { options: { ...NOTHING, pairs, aliases }, format };
}
