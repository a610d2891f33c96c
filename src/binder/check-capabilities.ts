import type { Capabilities } from "../query/capabilities.ts";
import { misplacedOption, unsupportedOption } from "./binding-error.ts";

/** The options that a setting governs, with that setting. */
const FLAGS = {
  $filter: "filterEnabled",
  $orderby: "orderByEnabled",
  $select: "selectEnabled",
  $expand: "expandEnabled",
  $count: "countEnabled",
  $search: "searchEnabled",
} as const satisfies Readonly<Record<string, keyof Capabilities>>;

/** Options of the standard that no resource takes. */
const NEVER_OFFERED: ReadonlySet<string> = new Set(["$apply", "$compute", "$index", "$deltatoken"]);

/** What a resource does with its query options. */
export interface OptionRules {
  /** The options that it takes. */
  readonly offered: ReadonlySet<string>;
  /** The options that the standard has for such a resource, and that it does not take; absent: none. */
  readonly unsupported?: ReadonlySet<string> | undefined;
  /** The resource in messages: `a collection`. */
  readonly resource: string;
}

/**
 * Refuses options that the resource does not take, and those that the set has switched off. An option counts when it
 * is there, whatever its value.
 * @param options the names of the system query options of the request
 * @param capabilities null where there is no set
 * @throws ODataError `UnsupportedQueryOption`
 * @see specification, Collection read, rule 1
 */
export function checkOptions(options: Iterable<string>, rules: OptionRules, capabilities: Capabilities | null): void {
  for (const option of options) {
    if (!rules.offered.has(option)) {
      if (NEVER_OFFERED.has(option)) {
        throw unsupportedOption(option, undefined, `The query option ${option} is not offered.`);
      }
      const refuse = rules.unsupported?.has(option) === true ? unsupportedOption : misplacedOption;
      throw refuse(option, undefined, `The query option ${option} is not offered on ${rules.resource}.`);
    }
    if (capabilities !== null && isFlagged(option) && !capabilities[FLAGS[option]]) {
      throw unsupportedOption(option, undefined, `The query option ${option} is not enabled for this entity set.`);
    }
  }
}

function isFlagged(option: string): option is keyof typeof FLAGS {
  return Object.hasOwn(FLAGS, option);
}
