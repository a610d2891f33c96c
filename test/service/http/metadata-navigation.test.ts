import { arraySource } from "odatakit";
import { sqlSource } from "odatakit/kysely";
import { afterAll, describe, expect, test } from "vitest";
import { ORIGIN, targetOf, url } from "./doors.ts";
import { sqliteShop } from "./shop-sqlite.ts";
import { AUTHORS, Book, BOOKS, shop, type ShopOptions } from "./shop-tables.ts";

const KEYS: Readonly<Record<string, string>> = {
  Authors: "(2)",
  Books: "(10)",
  Shelves: "('A%2F1')",
  Notes: "(BookId=10,Number=1)",
};

/** The statements of $metadata about the navigation properties of one set. */
interface Claims {
  readonly navigable: readonly string[];
  readonly expandable: readonly string[];
}

type Service = ReturnType<typeof shop>["service"];

async function get(service: Service, target: string, headers?: Readonly<Record<string, string>>) {
  const response = await service.fetch(new Request(ORIGIN + target, { headers: { ...headers } }));
  return { status: response.status, text: await response.text() };
}

/** Reads the claims out of the document, as a client would. */
async function claimsOf(service: Service): Promise<ReadonlyMap<string, Claims>> {
  const { text } = await get(service, "/s/$metadata");
  const claims = new Map<string, Claims>();
  for (const [, set = "", type = "", annotations = ""] of text.matchAll(
    /<EntitySet Name="(\w+)" EntityType="Default\.(\w+)">([\s\S]*?)<\/EntitySet>/gu,
  )) {
    const [, declared = ""] = new RegExp(`<EntityType Name="${type}">([\\s\\S]*?)</EntityType>`, "u").exec(text) ?? [];
    const names = [...namesIn(declared, /<NavigationProperty Name="(\w+)"/gu)];
    const navigation = termOf(annotations, "NavigationRestrictions");
    const restricted = namesIn(navigation, /NavigationPropertyPath="(\w+)"/gu);
    const isNone = /^\s*<Record>\s*<PropertyValue Property="Navigability"[^>]*\/None"/u.test(navigation);
    const expansion = termOf(annotations, "ExpandRestrictions");
    const excluded = namesIn(expansion, /<NavigationPropertyPath>(\w+)</gu);
    const isOff = expansion.includes('Property="Expandable" Bool="false"');
    claims.set(set, {
      navigable: isNone ? [] : names.filter((name) => !restricted.has(name)),
      expandable: isOff ? [] : names.filter((name) => !excluded.has(name)),
    });
  }
  expect([...claims.keys()]).toEqual(Object.keys(KEYS));
  return claims;
}

function namesIn(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
}

function termOf(annotations: string, term: string): string {
  const pattern = new RegExp(`<Annotation Term="[\\w.]*${term}">([\\s\\S]*?)</Annotation>`, "u");
  return pattern.exec(annotations)?.[1] ?? "";
}

const sqlite = await sqliteShop();
afterAll(async () => {
  await sqlite.db.destroy();
});

const withoutPushdown: ShopOptions = {
  by: "tables",
  authors: { expandPushdownEnabled: false },
  books: { expandPushdownEnabled: false },
  shelves: { expandPushdownEnabled: false },
};
const getMentor = { get: () => AUTHORS[0] };

/** By name: the service, and how many navigation properties can be navigated and expanded. */
const SERVICES: ReadonlyArray<readonly [string, Service, number, number]> = [
  ["tables", shop({ by: "tables" }).service, 9, 9],
  ["a database", sqlite.service, 9, 9],
  ["handlers", shop({ by: "handlers" }).service, 9, 9],
  ["tables that expand nothing", shop(withoutPushdown).service, 9, 1],
  ["a handler beside them", shop({ ...withoutPushdown, navigation: { mentor: getMentor } }).service, 9, 2],
  [
    "a set with a new source for each request",
    shop({ by: "tables", books: { queryable: () => shop({ by: "tables" }).tables.books } }).service,
    // Neither to nor from it are there routes without a handler.
    3,
    9,
  ],
  ["a set over a list", shop({ by: "tables", books: { queryable: undefined, getAll: () => BOOKS } }).service, 3, 9],
  ["a set that reads no keys", shop({ by: "tables", authors: { getByKey: undefined } }).service, 5, 9],
  [
    "no declaration of how entities are related",
    shop({ by: "tables", navigation: { books: { on: undefined }, notes: { on: undefined } } }).service,
    7,
    7,
  ],
];

describe.each(SERVICES)("$metadata agrees with the responses: %s", (_name, service, navigable, expandable) => {
  test("navigation routes", async () => {
    let count = 0;
    for (const [set, claims] of await claimsOf(service)) {
      count += claims.navigable.length;
      for (const name of navigationsOf(set)) {
        const path = `/s/${set}${KEYS[set] ?? ""}/${name}`;
        const { text } = await get(service, path);
        const hasRoute = !text.includes("This path has no resource");
        expect([path, hasRoute]).toEqual([path, claims.navigable.includes(name)]);
        expect((await get(service, `${path}/$ref`)).text.includes("This path has no resource")).toBe(!hasRoute);
      }
    }
    expect(count).toBe(navigable);
  });

  test("$expand", async () => {
    let count = 0;
    for (const [set, claims] of await claimsOf(service)) {
      count += claims.expandable.length;
      for (const $expand of navigationsOf(set)) {
        const { status, text } = await get(service, url(`/s/${set}`, { $expand, $top: "1" }));
        const { value, error } = JSON.parse(text) as { readonly value?: readonly object[]; readonly error?: object };
        const isThere = value?.every((entity) => Object.hasOwn(entity, $expand));
        if (claims.expandable.includes($expand)) {
          expect([set, $expand, status, isThere]).toEqual([set, $expand, 200, true]);
        } else {
          expect([set, $expand, status, error]).toMatchObject([set, $expand, 400, { code: "UnsupportedQueryOption" }]);
        }
      }
    }
    expect(count).toBe(expandable);
  });

  test("full control information links each route and nothing else", async () => {
    for (const [set, claims] of await claimsOf(service)) {
      const accept = { Accept: "application/json;odata.metadata=full" };
      const { text } = await get(service, `/s/${set}?$top=1`, accept);
      const { value } = JSON.parse(text) as { readonly value: ReadonlyArray<Readonly<Record<string, string>>> };
      const links = Object.entries(value[0] ?? {}).filter(([name]) => name.endsWith("Link"));
      const names = claims.navigable.flatMap((name) => [
        `${name}@odata.associationLink`,
        `${name}@odata.navigationLink`,
      ]);
      expect(links.map(([name]) => name).filter((name) => name !== "@odata.editLink")).toEqual(names);
      for (const [name, link] of links) {
        if (name === "@odata.editLink") continue;
        expect((await get(service, targetOf(link))).text).not.toContain("This path has no resource");
      }
    }
  });
});

function navigationsOf(set: string): readonly string[] {
  const names: Readonly<Record<string, readonly string[]>> = {
    Authors: ["Books", "Mentor", "Pupils", "Shelf"],
    Books: ["Author", "Notes", "Shelf"],
    Shelves: ["Books"],
    Notes: ["Book"],
  };
  return names[set] ?? [];
}

describe("capabilities that only a request reveals", () => {
  test("a set with a new source for each request expands if that source is a database", async () => {
    const options = {
      queryable: () => sqlSource(Book, { db: sqlite.db, from: "books", columns: { shelfCode: "shelf" } }),
    };
    const { service } = shop({ by: "tables", books: options });
    expect((await claimsOf(service)).get("Authors")?.expandable).toContain("Books");
    const answer = await get(service, url("/s/Authors", { $expand: "Books($select=Title)", $select: "Id", $top: "1" }));
    expect(JSON.parse(answer.text)).toMatchObject({
      value: [{ Id: 1, Books: [{ Title: "Alpha" }, { Title: "beta" }, { Title: "Gamma" }] }],
    });
  });

  test("expands from that source as a list if it is not a database", async () => {
    const { service } = shop({ by: "tables", books: { queryable: () => arraySource(Book, BOOKS) } });
    const answer = await get(service, url("/s/Authors", { $expand: "Books($select=Title)", $select: "Id", $top: "1" }));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      {
        "@odata.context": "http://service.example/s/$metadata#Authors(Id,Books(Title))",
        value: [
          {
            "@odata.etag": expect.any(String),
            Id: 1,
            Books: [
              { "@odata.id": "http://service.example/s/Books(10)", Title: "Alpha" },
              { "@odata.id": "http://service.example/s/Books(11)", Title: "beta" },
              { "@odata.id": "http://service.example/s/Books(12)", Title: "Gamma" },
            ],
          },
        ],
      },
    ]);
    expect((await get(service, "/s/Books?$expand=Author")).status).toBe(200);
  });

  test("calls a handler once for each request", async () => {
    let calls = 0;
    const { tables } = shop({ by: "tables" });
    const queryable = () => {
      calls += 1;
      return tables.authors;
    };
    const { service } = shop({ by: "tables", authors: { queryable } });
    expect(
      (await get(service, url("/s/Authors", { $expand: "Mentor($levels=2),Pupils($expand=Mentor)" }))).status,
    ).toBe(200);
    expect(calls).toBe(1);
  });
});
