import type { ConfigurationFault } from "../errors/configuration-error.ts";
import { isDeclaration } from "./declaration-kind.ts";
import type { DeclaredService } from "./declared-service.ts";
import { describe } from "./option-table.ts";

/** Further routes are made by a function of the package, can be served, and take no path that something else has. */
export function* checkRoutes({ options, sets, operations }: DeclaredService): Iterable<ConfigurationFault> {
  const listed: readonly unknown[] = Array.isArray(options["routes"]) ? options["routes"] : [];
  const taken = new Set([...sets, ...operations].map(({ name }) => name));
  for (const [index, route] of listed.entries()) {
    if (!isDeclaration(route, "ServiceRoute")) {
      const message = `\`routes\` of odataService holds ${describe(route)} at position ${String(index)}.`;
      yield { message, fix: "List what `openApiRoute(…)` returns." };
      continue;
    }
    yield* route.check();
    for (const path of route.paths) {
      if (taken.has(path)) {
        const fix = "Give the entity set or operation of that name another, or leave this route out.";
        yield { route: `/${path}`, message: "Two declarations take this path.", fix };
      }
      taken.add(path);
    }
  }
}
