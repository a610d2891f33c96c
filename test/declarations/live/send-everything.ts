import type { ODataService } from "odatakit";
import type { DescribedService, DescribedSet } from "odatakit/introspect";
import { literalOf } from "../columns/serve-column.ts";

/** A failed request: its path, status and body. */
export type Failure = readonly [path: string, status: number, body: string];

interface Page {
  readonly value: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Sends requests to each set: a page, `$count`, orders and filters by each property, expansions of each navigation.
 * @returns the requests whose status is not 200, or whose entity is not found by its own values
 */
export async function sendEverything(service: ODataService, described: DescribedService): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const set of described.sets) failures.push(...(await sendToSet(service, set)));
  return failures;
}

async function sendToSet(service: ODataService, set: DescribedSet): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const send = async (path: string): Promise<Page | undefined> => {
    const response = await service.fetch(
      new Request(`http://service.example/odata/${path}`, {
        headers: { Accept: "application/json;IEEE754Compatible=true" },
      }),
    );
    const body = await response.text();
    if (response.status !== 200) {
      failures.push([path, response.status, body]);
      return undefined;
    }
    return body.startsWith("{") ? (JSON.parse(body) as Page) : { value: [] };
  };
  await send(`${set.setName}/$count`);
  const first = await send(`${set.setName}?$top=50`);
  for (const property of set.properties) {
    const { name, isCollection, type, nullable } = property;
    const isStream = type === "Edm.Binary";
    if (isCollection) continue;
    for (const order of [name, `${name} desc`]) await send(`${set.setName}?$top=2&$orderby=${order}`);
    if (nullable) await send(`${set.setName}?$top=2&$filter=${name} eq null`);
    const values = first?.value.map((entity) => entity[name]) ?? [];
    const value = values.find((each) => each !== undefined && each !== null);
    // NaN equals nothing.
    if (value === undefined || value === "NaN" || isStream) continue;
    const filter = encodeURIComponent(`${name} eq ${literalOf(value, property)}`);
    const path = `${set.setName}?$count=true&$filter=${filter}`;
    const found = await send(path);
    if (found !== undefined && found.value.length === 0) failures.push([path, 200, "finds nothing"]);
  }
  for (const { name } of set.navigations) await send(`${set.setName}?$top=3&$expand=${name}`);
  return failures;
}
