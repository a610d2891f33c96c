import { sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES, type DatabaseName, type OpenDatabase } from "../../engine/executors/engines.ts";
import { noFailures } from "../../service/http/model.ts";

const Item = entityType("Item", {
  id: edm.int32().key(),
  name: edm.string().nullable(),
  ratio: edm.double().nullable(),
  tags: edm.collection(edm.string()),
});

const HALF = "The value contains half of a surrogate pair, which its column cannot store.";

/** Values, and the databases that refuse them with the target and the reason. */
const VALUES: ReadonlyArray<
  readonly [values: object, refusedBy: readonly DatabaseName[], target: string, message: string]
> = [
  [{ Name: "a\ud800" }, ["sqlite", "postgres", "mariadb"], "Name", HALF],
  [{ Ratio: "NaN" }, ["sqlite", "mariadb"], "Ratio", "The value is NaN, which its column cannot store."],
  [{ Ratio: "INF" }, ["mariadb"], "Ratio", "The value is INF, which its column cannot store."],
  [{ Ratio: "-INF" }, ["mariadb"], "Ratio", "The value is -INF, which its column cannot store."],
];

const DOUBLE: Readonly<Record<DatabaseName, string>> = {
  sqlite: "real",
  postgres: "double precision",
  mariadb: "double",
};

describe.each(ENGINES)("values without a cell of $title", (engine) => {
  let opened: OpenDatabase;
  let service: ODataService;

  beforeAll(async () => {
    opened = await engine.open();
    const text = engine.name === "mariadb" ? "varchar(40)" : "text";
    const columns = `id int primary key, name ${text}, ratio ${DOUBLE[engine.name]}, tags ${text} not null`;
    await sql`create table items (${sql.raw(columns)})`.execute(opened.db);
    const table = { db: opened.db, table: "items", operations: ["read", "create"] } as const;
    service = odataService({ logger: noFailures, entitySets: [sqlEntitySet(Item, table)] });
  });
  afterAll(() => opened.close());

  test.each(VALUES.filter(([, refusedBy]) => refusedBy.includes(engine.name)))(
    "%j is refused with its reason",
    async (values, _refusedBy, target, message) => {
      const body = JSON.stringify({ Id: 1, Tags: [], ...values });
      const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
      const response = await service.fetch(new Request("http://service.example/Items", init));
      const error = { code: "InvalidBody", message, target };
      expect([response.status, await response.json()]).toEqual([400, { error }]);
    },
  );
});
