import { sql } from "kysely";
import { complexType, edm, entityType, odataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { describe, expect, test } from "vitest";
import { ENGINES } from "../../engine/executors/engines.ts";

const Item = entityType("Item", {
  id: edm.int32().key(),
  price: edm.decimal({ precision: 18, scale: 4 }).nullable(),
});

describe.each(ENGINES)("a Decimal in a column of texts, over $title", (engine) => {
  test.for([
    "$filter=price gt 5",
    "$filter=price lt 5",
    "$filter=price add 1 eq 11.5",
    "$filter=price in (10.5)",
    "$orderby=price",
    "$filter=price gt 5&$count=true&$top=0",
  ])("is an error of the request if a cell is not a number: %s", async (options) => {
    const { db, close } = await engine.open();
    try {
      await sql`create table items (id integer primary key, price varchar(20))`.execute(db);
      await sql`insert into items values (1, '10.5'), (2, 'many'), (3, null)`.execute(db);
      const service = odataService({
        schemaCheck: false,
        propertyNaming: "camelCase",
        logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
        entitySets: [
          sqlEntitySet(Item, { db, table: "items", operations: ["read"], columns: { price: { storage: "text" } } }),
        ],
      });
      const response = await service.fetch(new Request(`http://items.example/Items?${options}`));
      const body = (await response.json()) as {
        readonly error?: { readonly code: string; readonly message: string };
      };
      expect([response.status, body.error?.code ?? body]).toEqual([400, "UnsupportedQueryOption"]);
    } finally {
      await close();
    }
  });
});

/** Texts of more digits than a Decimal of MariaDB has: after the point, and before it. */
const WIDE = ["1.0000000000000000000000000000000001", "123456789012345678901234567890123456"] as const;
const Box = complexType("Box", { weight: edm.decimal().nullable() });
const Parcel = entityType("Parcel", {
  id: edm.int32().key(),
  price: edm.decimal().nullable(),
  box: edm.complex(Box),
  sizes: edm.collection(edm.decimal()),
});

describe.each(ENGINES)("Decimals of many digits in texts and in JSON, over $title", (engine) => {
  async function open(wide: string) {
    const { db, close } = await engine.open();
    await sql`create table parcels (id integer primary key, price varchar(60), box varchar(90), sizes varchar(90))`.execute(
      db,
    );
    for (const [id, price] of ["1", "-1.50", "1e2", "+3", `0.${"1".repeat(30)}000`].entries()) {
      const json = price.replace("+", "");
      await sql`insert into parcels values (${id}, ${price}, ${`{"weight":${json}}`}, ${`[${json}]`})`.execute(db);
    }
    await sql`insert into parcels values (8, ${wide}, ${`{"weight":"${wide}"}`}, ${`["${wide}"]`}), (9, null, '{"weight":null}', '[]')`.execute(
      db,
    );
    const columns = {
      price: { storage: "text" },
      box: { storage: "json" },
      sizes: { storage: "json" },
    } as const;
    const service = odataService({
      schemaCheck: false,
      propertyNaming: "camelCase",
      logger: { error: () => undefined, warn: () => undefined, info: () => undefined },
      entitySets: [sqlEntitySet(Parcel, { db, table: "parcels", operations: ["read"], columns })],
    });
    const read = async (options: string) => {
      const response = await service.fetch(
        new Request(`http://items.example/Parcels?$select=id&${encodeURI(options).replaceAll("+", "%2B")}`),
      );
      const body = (await response.json()) as {
        readonly value?: ReadonlyArray<{ readonly id: number }>;
        readonly error?: { readonly code: string };
      };
      return body.value?.map(({ id }) => id) ?? [response.status, body.error?.code];
    };
    return { read, close };
  }

  test.each(WIDE)("%s is compared exactly or refused", async (wide) => {
    const { read, close } = await open(wide);
    const found = (ids: readonly number[]) => (engine.name === "mariadb" ? [400, "UnsupportedQueryOption"] : [...ids]);
    for (const term of ["price", "box/weight"]) {
      expect(await read(`$filter=${term} eq 1&$orderby=id`), term).toEqual(found([0]));
      expect(await read(`$filter=${term} gt 1&$orderby=id`), term).toEqual(found([2, 3, 8]));
      expect(await read(`$filter=${term} le 1&$orderby=id`), term).toEqual(found([0, 1, 4]));
      expect(await read(`$filter=${term} in (1,3)&$orderby=id`), term).toEqual(found([0, 3]));
      // The other texts are exact in every database.
      expect(await read(`$filter=id lt 8 and ${term} gt 1&$orderby=id`), term).toEqual([2, 3]);
      expect(await read(`$filter=id ne 8&$orderby=${term}`), term).toEqual([9, 1, 4, 0, 3, 2]);
      expect(await read(`$filter=id ne 8 and ${term} eq 0.${"1".repeat(30)}`), term).toEqual([4]);
    }
    expect(await read("$filter=sizes/any(s:s eq 1)")).toEqual(found([0]));
    expect(await read("$filter=id ne 8 and sizes/any(s:s gt 1)&$orderby=id")).toEqual([2, 3]);
    await close();
  });

  /** Numbers as JavaScript writes them, with exponents, and the same without. */
  const EXPONENTS = [
    ["1.2345678901234567e-7", `0.${"0".repeat(6)}12345678901234567`],
    ["-1.2345678901234567e-14", `-0.${"0".repeat(13)}12345678901234567`],
    ["1.2345678901234e-17", `0.${"0".repeat(16)}12345678901234`],
    ["1.2345678e-23", `0.${"0".repeat(22)}12345678`],
    ["5e-30", `0.${"0".repeat(29)}5`],
    ["1e+21", `1${"0".repeat(21)}`],
    ["-1.7976931348623157e+34", `-17976931348623157${"0".repeat(18)}`],
  ] as const;

  test.each(EXPONENTS)("%s is %s", async (wide, digits) => {
    const { read, close } = await open(wide);
    const beside = digits.replace(/[1-9](0*)$/, (end, zeros: string) => `${String(Number(end[0]) - 1)}${zeros}`);
    const [less, more] = digits.startsWith("-") ? [digits, beside] : [beside, digits];
    for (const term of ["price", "box/weight"]) {
      expect(await read(`$filter=${term} eq ${digits}`), term).toEqual([8]);
      expect(await read(`$filter=${term} eq ${beside}`), term).toEqual([]);
      expect(await read(`$filter=id eq 8 and ${term} ge ${less} and ${term} le ${more}`), term).toEqual([8]);
      expect(await read(`$filter=id eq 8 and ${term} gt ${less}`), term).toEqual(less === digits ? [] : [8]);
      expect(await read(`$filter=id eq 8 and ${term} add 1 gt ${digits}`), term).toEqual([8]);
    }
    expect(await read(`$filter=sizes/any(s:s eq ${digits})`)).toEqual([8]);
    await close();
  });

  test.each(["1.2345678901234567e-15", "1e-31", "1e35", `1.${"1".repeat(30)}e-1`])(
    "%s is exact or refused",
    async (wide) => {
      const { read, close } = await open(wide);
      for (const term of ["price", "box/weight"]) {
        const found = await read(`$filter=id eq 8 and (${term} le 0 or ${term} gt 1${"0".repeat(35)})`);
        expect(found, term).toEqual(engine.name === "mariadb" ? [400, "UnsupportedQueryOption"] : []);
      }
      await close();
    },
  );
});
