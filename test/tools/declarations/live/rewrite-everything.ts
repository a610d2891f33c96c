import type { ODataService } from "odatakit";
import type { DescribedProperty, DescribedService, DescribedSet } from "odatakit/introspect";
import { literalOf } from "../columns/serve-column.ts";

/** A failed request: its path, status and body. */
type Failure = readonly [path: string, status: number, body: string];

type Entity = Readonly<Record<string, unknown>>;

const HEADERS = {
  Accept: "application/json;IEEE754Compatible=true",
  "Content-Type": "application/json;IEEE754Compatible=true",
};

/**
 * Writes entities of each set again as they were read: each property that requests can change, by PATCH.
 * @returns the requests that fail, and the entities that differ afterwards
 */
export async function rewriteEverything(
  service: ODataService,
  described: DescribedService,
): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const send = async (method: string, path: string, body?: Entity): Promise<Entity | undefined> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await service.fetch(
      new Request(`http://service.example/odata/${path}`, { method, headers: HEADERS, ...init }),
    );
    const text = await response.text();
    if (!response.ok) failures.push([`${method} ${path} ${init.body ?? ""}`, response.status, text]);
    return response.ok && text.startsWith("{") ? (JSON.parse(text) as Entity) : undefined;
  };
  // A set that leaves rows out is read-only.
  const written = described.sets.filter(({ kind, excludes, excludesNulls }) => {
    return kind === "table" && excludes.length === 0 && excludesNulls.length === 0;
  });
  for (const set of written) {
    const page = await send("GET", `${set.setName}?$top=5`);
    for (const entity of (page?.["value"] ?? []) as readonly Entity[]) {
      const path = `${set.setName}(${keyOf(set, entity)})`;
      const changes = changesOf(set, entity);
      if (Object.keys(changes).length === 0) continue;
      const before = await send("GET", path);
      await send("PATCH", path, changes);
      const after = await send("GET", path);
      const [left, right] = [before, after].map((each) => JSON.stringify({ ...each, "@odata.etag": null }));
      if (left !== right) failures.push([path, 200, `${String(left)} became ${String(right)}`]);
    }
  }
  return failures;
}

function keyOf(set: DescribedSet, entity: Entity): string {
  const key = set.properties.filter(({ isKey }) => isKey);
  const values = key.map((property) => {
    const literal = encodeURIComponent(literalOf(entity[property.name], property));
    return key.length === 1 ? literal : `${property.name}=${literal}`;
  });
  return values.join(",");
}

function changesOf(set: DescribedSet, entity: Entity): Entity {
  const changed = set.properties.filter((property) => isChanged(property, entity[property.name]));
  return Object.fromEntries(changed.map(({ name }) => [name, entity[name]]));
}

/** A null may represent an unreadable cell. */
function isChanged({ isKey, isReadOnly, computed, isCollection }: DescribedProperty, value: unknown): boolean {
  return !isKey && !isReadOnly && !computed && !isCollection && value !== null;
}
