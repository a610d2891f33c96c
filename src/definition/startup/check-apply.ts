import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { type DeclaredService, type DeclaredSet, fieldsOf, propertyIn } from "../model/declared-service.ts";
import type { StartupRule } from "../model/declared-types.ts";
import { adviseName } from "../option-table.ts";

/** The allowlists of `$apply`, which shows values as `$select` does. */
export const SHOWN_BY_APPLY: readonly string[] = ["groupByProperties", "aggregateProperties"];

/** Checks that `$apply` may use no property that `$select` may not. @see docs/reference/apply.md */
function* checkShown({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets.filter(({ options }) => options["selectProperties"] !== undefined)) yield* checkShownOf(set);
}

function* checkShownOf(set: DeclaredSet): Iterable<ConfigurationFault> {
  const shown = new Set([...fieldsOf(set, "selectProperties"), ...set.navigations.map(({ field }) => field)]);
  for (const option of SHOWN_BY_APPLY) {
    for (const field of fieldsOf(set, option).filter((each) => isVisible(set, each) && !shown.has(each))) {
      const message = `\`${option}\` names \`${field}\`, which \`selectProperties\` does not name: $apply would show its values.`;
      yield { set: set.name, message, fix: `Remove it from \`${option}\`, or add it to \`selectProperties\`.` };
    }
  }
}

/** Another rule reports unknown names and ignored properties. */
function isVisible({ entityType }: DeclaredSet, field: string): boolean {
  return propertyIn(entityType, field)?.ignored === false;
}

const FURTHER_OPTIONS: readonly string[] = ["apply", "compute"];

/** Checks that a set with `applyQuery` enables `$apply` and `$compute` only if the handler applies them. */
function* checkAppliedOptions({ sets }: DeclaredService): Iterable<ConfigurationFault> {
  for (const set of sets) {
    const { options, name } = set;
    const applied = fieldsOf(set, "applyQueryOptions");
    for (const option of applied.filter((each) => !FURTHER_OPTIONS.includes(each))) {
      const fix = adviseName(option, FURTHER_OPTIONS);
      yield { set: name, message: `\`applyQueryOptions\` names \`${option}\`, which is no such option.`, fix };
    }
    if (options["applyQuery"] === undefined) {
      if (options["applyQueryOptions"] === undefined) continue;
      const message = "The set has `applyQueryOptions`, but no handler `applyQuery`.";
      yield { set: name, message, fix: "Remove it: the service applies $apply and $compute itself." };
      continue;
    }
    for (const option of FURTHER_OPTIONS) {
      if (options[`${option}Enabled`] !== true || applied.includes(option)) continue;
      const message = `\`${option}Enabled\` is true, but \`applyQuery\` does not apply \`$${option}\`.`;
      const fix = `Apply \`query.${option}\` in the handler, and add "${option}" to \`applyQueryOptions\`.`;
      yield { set: name, message, fix };
    }
  }
}

/** The rules for the options of `$apply` and `$compute`. */
export const APPLY_RULES: readonly StartupRule[] = Object.freeze([checkShown, checkAppliedOptions]);
