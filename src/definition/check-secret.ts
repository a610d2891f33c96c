import type { ConfigurationFault } from "../errors/configuration-error.ts";
import type { DeclaredService } from "./declared-service.ts";
import { isObject } from "./option-table.ts";

/** Shortest secret, in characters or bytes. */
const MIN_LENGTH = 16;

const FIX = `Give at least ${String(MIN_LENGTH)} random characters that all processes of the service share, from its environment.`;

/** Keyset paging needs the secret of the service, and a secret must be one. @see decisions, Reading (next link) */
export function* checkSecret({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  const { secret, defaults } = options;
  if (secret !== undefined) {
    // The secret itself is never shown: messages end up in logs.
    if (typeof secret !== "string" && !(secret instanceof Uint8Array)) {
      yield { message: "`secret` of odataService is neither a text nor bytes.", fix: FIX };
    } else if (secret.length < MIN_LENGTH) {
      yield { message: `\`secret\` of odataService has only ${String(secret.length)} characters.`, fix: FIX };
    }
    return;
  }
  if (isObject(defaults) && defaults["paging"] === "keyset") {
    yield { message: '`paging: "keyset"` of `defaults` needs the `secret` of odataService.', fix: FIX };
  }
  for (const set of sets.filter((each) => each.options["paging"] === "keyset")) {
    const message = '`paging: "keyset"` of an entity set needs the `secret` of odataService.';
    yield { set: set.name, message, fix: FIX };
  }
}
