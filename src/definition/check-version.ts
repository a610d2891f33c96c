import type { ConfigurationFault } from "../errors/configuration-error.ts";
import type { DeclaredService } from "./declared-service.ts";

/** What this version does not do is refused, not ignored: an ignored promise would do harm silently. */
export function* checkSupported({ options: { batch } }: DeclaredService): Iterable<ConfigurationFault> {
  if (batch === undefined || batch === false) return;
  const message = "`batch` of odataService is not supported by this version.";
  yield { message, fix: "Remove it, or set it to false: there is no $batch route." };
}
