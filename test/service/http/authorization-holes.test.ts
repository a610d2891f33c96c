import { Kysely } from "kysely";
import { authenticated, edm, entitySet, entityType, odataService, role, type EntitySet } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { sqliteDialect } from "odatakit/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { eachDoor, type Service } from "./doors.ts";
import { noFailures } from "./model.ts";

/** Attempts to bypass rules: unusual values from untyped code, and cases that are easily forgotten. */

const Doc = entityType("Doc", { id: edm.int32().key(), owner: edm.string() });
const rows = [
  { id: 1, owner: "ann" },
  { id: 2, owner: "bob" },
];
const getAll = (): typeof rows => rows;

/** Options that are made in other ways than the types say. */
const untyped = entitySet as unknown as (type: typeof Doc, options: object) => EntitySet;

function serve(options: object, user: unknown = null): Service {
  const given = { prefix: "", logger: noFailures, authenticate: () => user, ...options };
  return (odataService as unknown as (options: object) => Service)(given);
}

describe("rules that are not written as plain options", () => {
  class FromClass {
    readonly getAll = getAll;
    get authorization(): object {
      return { all: authenticated() };
    }
  }
  const inherited: object = Object.create({ authorization: { all: authenticated() } }) as object;
  const hidden = Object.defineProperty({ getAll }, "authorization", { value: { all: authenticated() } });
  const forms: ReadonlyArray<readonly [string, object]> = [
    ["of a class", new FromClass()],
    ["inherited", Object.assign(inherited, { getAll })],
    ["not enumerable", hidden],
  ];

  test.each(forms)("%s, hold", async (_form, options) => {
    const { status } = await serve({ entitySets: [untyped(Doc, options)] }).fetch(
      new Request("http://service.example/Docs"),
    );
    expect(status).toBe(401);
  });

  test("of a class, hold for tables", async () => {
    const db = new Kysely<never>({ dialect: sqliteDialect(":memory:") });
    afterAll(() => db.destroy());
    class Table {
      readonly db = db;
      readonly table = "docs";
      readonly operations = ["read"];
      get authorization(): object {
        return { all: authenticated() };
      }
    }
    const table = (sqlEntitySet as unknown as typeof untyped)(Doc, new Table());
    const { status } = await serve({ entitySets: [table] }).fetch(new Request("http://service.example/Docs"));
    expect(status).toBe(401);
  });

  test("in an instance of a class, are checked like those in an object literal", () => {
    class Misspelt {
      get raed(): object {
        return authenticated();
      }
    }
    const typo = Object.defineProperty({}, "raed", { value: authenticated() });
    for (const authorization of [new Misspelt(), typo]) {
      expect(() => serve({ entitySets: [untyped(Doc, { getAll, authorization })] })).toThrow(/no category `raed`/);
    }
    const late = Promise.resolve({ all: authenticated() });
    expect(() => serve({ entitySets: [untyped(Doc, { getAll, authorization: late })] })).toThrow(/no category `then`/);
    class Registration {
      readonly entitySets = [untyped(Doc, { getAll })];
      get authorization(): boolean {
        return true;
      }
    }
    expect(() => (odataService as unknown as (options: object) => Service)(new Registration())).toThrow(
      /`authorization` of odataService is true/,
    );
  });
});

eachDoor((door) => {
  const guarded = (authorization: object): object => ({ entitySets: [untyped(Doc, { getAll, authorization })] });

  describe("the result of `authenticate`", () => {
    test.each([0, Number.NaN, 0n, "", false, undefined, null])("%s is an anonymous user", async (user) => {
      const send = door.to(serve(guarded({ all: authenticated() }), user));
      expect((await send("/Docs")).status).toBe(401);
    });

    test.each(["admin", 1, true, 1n])("%s is a user without roles", async (user) => {
      const send = door.to(serve(guarded({ all: role("admin") }), user));
      expect((await send("/Docs")).status).toBe(403);
    });
  });
});
