import type { ConfigurationFault } from "../../base/errors/configuration-error.ts";
import { adaptLogger, type Logger } from "../logger.ts";
import {
  type DeclaredNavigation,
  type DeclaredService,
  type DeclaredSet,
  entriesOf,
  propertyIn,
} from "../model/declared-service.ts";
import { declaredRows } from "./row-function.ts";
import { takesNothing } from "./takes-nothing.ts";

/** A warning about one set. */
interface RowWarning extends Required<Pick<ConfigurationFault, "message" | "fix">> {
  /** For filters of logs. @see docs/guides/authorization.md, Warnings */
  readonly code: "open-child";
  readonly set: string;
  /** The key of the navigation. */
  readonly navigation: string;
}

/** Returns the logger of a service, which receives the warnings about its declarations. */
export function openLogger(service: DeclaredService, given: Logger): Logger {
  const logger = adaptLogger(given);
  for (const { message, ...fields } of openChildren(service)) {
    logger.warn(message, fields);
  }
  return logger;
}

/**
 * Finds sets without a row rule whose entities belong to entities of a set with a rule that may hide rows: users read the lines
 * of orders that they do not see.
 * @see docs/guides/authorization.md
 */
function openChildren({ sets }: DeclaredService): readonly RowWarning[] {
  const open = sets.filter((set) => declaredRows(set) === undefined);
  const hiding = sets.filter((set) => mayHide(declaredRows(set)));
  return open.flatMap((set): readonly RowWarning[] => {
    for (const parent of hiding) {
      const up = set.navigations.find(
        ({ declaration, options }) => declaration.cardinality === "required" && options["target"] === parent.name,
      );
      const down = parent.navigations.find((each) => each.options["target"] === set.name && isOwner(parent, set, each));
      const link = up ?? down;
      if (link === undefined) continue;
      const message = `Each entity of ${set.name} belongs to one of ${parent.name} by \`${link.field}\`${up === undefined ? ` of ${parent.name}` : ""}, but the row rule of ${parent.name} does not hide entities of ${set.name}.`;
      const give =
        up === undefined
          ? `Declare the way back with \`hasRequired\`, such as \`parent\`, and give \`rows: inherit("parent")\`.`
          : `Give \`rows: inherit("${up.field}")\`.`;
      const fix = `${give} If every user may see all rows: \`rows: () => allRows\`.`;
      return [{ code: "open-child", set: set.name, navigation: link.field, message, fix }];
    }
    return [];
  });
}

/** Whether a rule may show users different rows. A rule that reads no parameter is the same for all, such as `() => allRows`. */
function mayHide(rule: unknown): boolean {
  return rule !== undefined && !takesNothing(rule);
}

/** Whether a navigation leads to entities that each have the key of one entity of its set. */
function isOwner(parent: DeclaredSet, set: DeclaredSet, { declaration, options }: DeclaredNavigation): boolean {
  const pairs = entriesOf(options["on"]);
  if (declaration.cardinality !== "many" || pairs.length === 0) return false;
  return pairs.every(([own, foreignKey]) => {
    const refers = typeof foreignKey === "string" ? propertyIn(set.entityType, foreignKey) : undefined;
    return propertyIn(parent.entityType, own)?.key === true && refers?.nullable === false;
  });
}
