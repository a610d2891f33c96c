import type { Capabilities } from "../query/capabilities.ts";
import { misplacedOption, unsupportedOption } from "./binding-error.ts";

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
const NEVER_OFFERED: ReadonlySet<string> = new Set(["$apply", "$compute", "$index", "$deltatoken"]);

/** The query options of a resource. */
export interface OptionRules {
  /** The supported options. */
  readonly offered: ReadonlySet<string>;
  /** The options that the standard has for such a resource and the service does not support; absent: none. */
  readonly unsupported?: ReadonlySet<string> | undefined;
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
    if (!rules.offered.has(option)) {
      if (NEVER_OFFERED.has(option)) {
        throw unsupportedOption(option, undefined, `The query option ${option} is not supported.`);
      }
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
