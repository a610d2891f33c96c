import type { Request } from "autocannon";
import { ask } from "./ask.ts";
import { PREFIX, type Scenario, SCENARIOS, type Write } from "./scenarios.ts";
import type { ServerProcess } from "./server-process.ts";

/** The headers of requests with a body. */
export const WRITE_HEADERS = { "content-type": "application/json" } as const;

/** The reads for each change of a mixed load. */
const READS_PER_CHANGE = 9;

/** The latest ETag of each entity, by server. */
const etags = new WeakMap<ServerProcess, Map<string, string>>();

/** Returns the requests of a scenario for the load generator. Each connection sends them in turn and repeats them. */
export async function loadRequests(server: ServerProcess, { paths, writes }: Scenario): Promise<Request[]> {
  if (writes === undefined) return paths.map((path) => ({ path }));
  if (writes.kind === "create") return paths.flatMap((path) => createAndRead(path, writes));
  const changes = await change(server, paths, writes);
  return writes.kind === "change" ? changes : [...readsBetween(), ...changes];
}

/** The reads between two changes of a mixed load. */
function readsBetween(): Request[] {
  const keys = SCENARIOS.find(({ id }) => id === "S1")?.paths ?? [];
  let next = 0;
  // All connections share one list, so that they read different orders.
  return Array.from({ length: READS_PER_CHANGE }, () => ({
    setupRequest: (request: Request) => {
      next += 1;
      return { ...request, method: "GET" as const, path: keys[next % keys.length] ?? "" };
    },
  }));
}

/** The state that a connection carries from a response to the next request. */
interface Kept {
  path?: string;
}

function createAndRead(path: string, { body }: Write): Request[] {
  return [
    {
      method: "POST",
      path,
      headers: WRITE_HEADERS,
      body,
      onResponse: (_status, text, context: Kept) => {
        const { Id: id } = JSON.parse(text) as { readonly Id: number };
        context.path = `${PREFIX}/Drafts(${String(id)})`;
      },
    },
    { setupRequest: (request, context: Kept) => ({ ...request, path: context.path ?? path }) },
  ];
}

/** All connections share one list, so that no two write the same entity at once. */
async function change(server: ServerProcess, paths: readonly string[], { body }: Write): Promise<Request[]> {
  const known = etags.get(server) ?? new Map<string, string>();
  etags.set(server, known);
  if (known.size === 0) {
    for (const path of paths) known.set(path, (await ask(server.port, path)).headers.get("etag") ?? "");
  }
  let next = 0;
  return [
    {
      method: "PATCH",
      body,
      setupRequest: (request, context: Kept) => {
        const path = paths[next % paths.length] ?? "";
        next += 1;
        context.path = path;
        return { ...request, path, headers: { ...WRITE_HEADERS, "if-match": known.get(path) ?? "" } };
      },
      onResponse: (_status, _text, { path = "" }: Kept, headers) => {
        const etag = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "etag")?.[1];
        known.set(path, String(etag));
      },
    },
  ];
}
