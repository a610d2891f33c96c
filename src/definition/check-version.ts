import type { ConfigurationFault } from "../errors/configuration-error.ts";
import type { DeclaredService } from "./declared-service.ts";

/** What this version does not do is refused, not ignored: an ignored rule or limit would do harm silently. */
export function* checkSupported({ options, sets }: DeclaredService): Iterable<ConfigurationFault> {
  const { authorization, batch } = options;
  if (authorization !== undefined) {
    yield unsupported("`authorization` of odataService", "Remove it, and check `ctx.user` in the handlers.");
  }
  if (batch !== undefined && batch !== false) {
    yield unsupported("`batch` of odataService", "Remove it, or set it to false: there is no $batch route.");
  }
  for (const set of sets) {
    const place = { set: set.name };
    if (set.options["authorization"] !== undefined) {
      const fix = "Remove it, and check `ctx.user` in the handlers.";
      yield { ...place, ...unsupported("`authorization` of an entity set", fix) };
    }
  }
}

function unsupported(what: string, fix: string): ConfigurationFault {
  return { message: `${what} is not supported by this version.`, fix };
}
