import type { ConfigurationFault } from "../../errors/configuration-error.ts";
import type { ReplicatedDatabase } from "../../query/reading.ts";
import type { DeclaredService } from "../model/declared-service.ts";
import { checkOptions, isObject } from "../option-table.ts";
import { POSITION_OPTIONS } from "./option-tables.ts";

/**
 * Checks that the sets of one database agree on its replica, and that the service can seal and keep positions.
 * @see docs/guides/replicas.md
 */
export function* checkReplicas({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  const { secret, positions } = options;
  const byDatabase = new Map<object, { readonly name: string; readonly replicated: ReplicatedDatabase | undefined }>();
  let isReplicated = false;
  for (const { name, declaration } of sets) {
    const { database } = declaration;
    if (database === undefined) continue;
    const { instance, replicated } = database;
    isReplicated ||= replicated !== undefined;
    const known = byDatabase.get(instance);
    if (known === undefined) byDatabase.set(instance, { name, replicated });
    else if (known.replicated !== replicated) {
      const message = `The sets ${known.name} and ${name} have the same \`db\`, but another \`readFrom\` or \`replicaWait\`.`;
      yield { set: name, message, fix: "Give both sets the same: otherwise a request would read two places." };
    }
  }
  if (isReplicated && secret === undefined) {
    const message = "`readFrom` of an entity set needs the `secret` of odataService, which seals positions.";
    yield { message, fix: "Give at least 16 random characters that all processes of the service share." };
  }
  yield* checkStore(positions, isReplicated);
}

function* checkStore(positions: unknown, isReplicated: boolean): Iterable<ConfigurationFault> {
  // Other values are reported with the options of the service.
  if (!isObject(positions)) return;
  yield* checkOptions(POSITION_OPTIONS, positions, "positions", {});
  const missing = ["read", "write"].filter((name) => positions[name] === undefined);
  if (missing.length > 0) {
    const message = `\`positions\` of odataService has no function ${missing.join(", ")}.`;
    yield { message, fix: "Give { read: (ctx) => position, write: (ctx, position) => {} }." };
  }
  if (isReplicated) return;
  const message = "`positions` of odataService has no effect: no set has `readFrom`.";
  yield { message, fix: "Give the sets of the database `readFrom`, or remove `positions`." };
}
