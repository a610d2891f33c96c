import type { SchemaFinding } from "../../base/errors/schema-finding.ts";
import { type Maybe, recover } from "../../base/maybe.ts";
import { withinTime } from "../../base/within-time.ts";
import type { User } from "../../definition/context.ts";
import type { ServiceDescription } from "../../definition/model/service-definition.ts";
import { titleOf } from "../../definition/model/service-title.ts";
import type { RowEstimate } from "../../definition/model/stored-database.ts";
import { judge } from "../../engine/rules/judge-rules.ts";
import { accessOf, type ExplorerAccess } from "./access.ts";
import { rowEstimates } from "./row-estimates.ts";

/** The facts about a service and its user that the explorer shows, as `{prefix}/explorer/about.json` returns them. */
export interface ExplorerAbout {
  readonly title: string;
  /** By entity set, without sets whose number of rows the user must not learn, or whose database does not know it. */
  readonly rows: Readonly<Record<string, RowEstimate>>;
  /** The findings of the schema check and the warnings of the application, for users who may read traces. */
  readonly warnings: readonly ExplorerWarning[];
  /** Whether the user may read the traces of own requests. */
  readonly traces: boolean;
  /** Whether the service does not know the user, such as for a wrong key. */
  readonly isAnonymous: boolean;
  /** Whether paths such as `Orders(1)/Items` accept `$expand`. */
  readonly expandsPaths: boolean;
  /** What the rules deny to the user. */
  readonly access: ExplorerAccess;
}

/** A finding of the schema check, or a warning of the application. */
interface ExplorerWarning extends ApplicationWarning {
  readonly severity: SchemaFinding["severity"];
}

/** A warning of the application. */
export interface ApplicationWarning {
  /** Warnings with the same code have the same cause. */
  readonly code: string;
  /** Such as `Orders.placedAt`. */
  readonly place: string;
  readonly message: string;
  /** What removes the cause; empty without a remedy. */
  readonly fix: string;
}

/**
 * Makes the function that returns the facts for a user.
 * @param further returns the warnings of the application
 */
export function aboutService(
  { definition, findings }: ServiceDescription,
  further: () => readonly ApplicationWarning[],
): (user: User | null, traces: boolean) => Promise<ExplorerAbout> {
  const estimates = rowEstimates(definition.entitySets.values());
  return async (user, traces) => {
    const [counts, found] = await Promise.all([
      soon(estimates(), new Map()),
      traces ? soon(Promise.resolve(findings()), []) : [],
    ]);
    const readable = [...counts].filter(([{ authorization }]) => judge(authorization.read, user) === "passed");
    return {
      title: titleOf(definition),
      rows: Object.fromEntries(readable.map(([{ entitySet }, rows]) => [entitySet.name, rows])),
      warnings: [
        ...found.map(({ code, severity, set, property, message, fix }) => {
          return { code, severity, place: property === undefined ? set : `${set}.${property}`, message, fix };
        }),
        ...(traces ? further() : []).map(({ code, place, message, fix }) => ({
          code,
          severity: "warning" as const,
          place,
          message,
          fix,
        })),
      ],
      traces,
      isAnonymous: user === null,
      expandsPaths: definition.profile.navigationTakesEveryOption,
      access: accessOf(definition, user),
    };
  };
}

/** The milliseconds that the page waits for a database. It works without numbers and warnings. */
const PATIENCE = 3000;

function soon<Value>(work: PromiseLike<Value>, otherwise: Value): Maybe<Value> {
  return recover(
    () => withinTime(work, PATIENCE, () => new Error("The database is late.")),
    () => otherwise,
  );
}
