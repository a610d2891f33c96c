import { CompiledQuery, sql } from "kysely";
import { edm, entityType, odataService, type ODataService } from "odatakit";
import { sqlEntitySet } from "odatakit/kysely";
import { expect, test } from "vitest";
import type { AnyDatabase } from "../../engine/executors/engines.ts";
import { sentStatements } from "../sql/sent-statements.ts";
import { withoutTimeLimit } from "../sql/without-time-limit.ts";
import { DISTRIBUTED } from "./distributed-engines.ts";

const Word = entityType("Word", { id: edm.int32().key(), code: edm.string(), label: edm.string().nullable() });
const ROWS = 10_100;

/** Starts a service. @returns the advice on indexes */
async function adviceOf(db: AnyDatabase): Promise<{ readonly service: ODataService; readonly advice: unknown[] }> {
  const advice: unknown[] = [];
  const logger = {
    error: () => undefined,
    warn: (_message: string, { fix }: Readonly<Record<string, unknown>>) => void advice.push(fix),
    info: () => undefined,
  };
  const service = odataService({
    logger,
    entitySets: [sqlEntitySet(Word, { db, table: "words", operations: ["read"], distributed: true })],
  });
  await service.ready();
  return { service, advice };
}

test.each(DISTRIBUTED)("$title: one advised index serves filters and orders by a text", async ({ open }) => {
  const { db, close } = await open();
  await sql`create table words (id int primary key, code text not null, label varchar(20))`.execute(db);
  await sql
    .raw(
      `insert into words select i, 'c' || md5(i::text), nullif('l' || i % 100, 'l7') from generate_series(1, ${String(ROWS)}) i`,
    )
    .execute(db);
  const { service, advice } = await adviceOf(db);
  expect(advice).toEqual([
    `create index on words (((code || '') collate "C"), id)`,
    `create index on words (((label || '') collate "C") nulls first, id)`,
  ]);
  for (const statement of advice) await sql.raw(String(statement)).execute(db);
  await sql`analyze words`.execute(db);
  expect((await adviceOf(db)).advice).toEqual([]);
  for (const query of [
    "/$count?$filter=Code eq 'c1'",
    "/$count?$filter=Code in ('c1','c2')",
    "/$count?$filter=startswith(Code,'c1b')",
    "/$count?$filter=Code gt 'cff'",
    "?$orderby=Code&$top=5",
    "?$orderby=Code desc&$top=5",
    "/$count?$filter=Label eq 'l5'",
    "?$orderby=Label&$top=5",
    "?$orderby=Label desc&$top=5",
  ]) {
    const sent = await sentStatements(db, async () => {
      const response = await service.fetch(new Request(`http://service.example/Words${encodeURI(query)}`));
      expect(response.status).toBe(200);
    });
    const plans: string[] = [];
    await db.transaction().execute(async (transaction) => {
      // A cluster of Citus sends the next settings to all machines. Other servers keep any setting with a dot.
      await sql`set local citus.propagate_set_commands = 'local'`.execute(transaction);
      // The table is small, so a scan, or a sort, would be as fast.
      for (const setting of ["enable_seqscan", "enable_bitmapscan", "enable_sort"]) {
        await sql`set local ${sql.id(setting)} = off`.execute(transaction);
      }
      for (const { sql: text, parameters } of sent) {
        const { rows } = await transaction.executeQuery(
          CompiledQuery.raw(`explain ${withoutTimeLimit(text)}`, [...parameters]),
        );
        plans.push(JSON.stringify(rows));
      }
    });
    expect(plans.join("\n"), query).toMatch(/Index (?:Only )?Scan (?:Backward )?using words_expr/);
  }
  await close();
});
