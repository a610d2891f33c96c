import { expect, test } from "vitest";
import { runProgram, testFolder, writeDatabase } from "./run-program.ts";

test("a view that takes long is left out, and the process goes on meanwhile", async () => {
  const folder = testFolder();
  writeDatabase(
    folder,
    `create table items (id integer primary key);
create table numbers (n integer primary key);
create view slow as select i.id, (select count(*) from numbers a, numbers b, numbers c where a.n + b.n + c.n > i.id) as total from items i;
insert into items values (1);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 450) insert into numbers select i from n;`,
  );
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 20);
  const { code, out } = await runProgram(["inspect", "shop.db", "--key", "slow=id"], { folder });
  clearInterval(timer);
  expect(code).toBe(0);
  // A fast machine may read it in time.
  if (!out.includes("Slows  view")) {
    expect(out).toContain(
      "slow  omitted, because it is not readable: 500 rows take more than 2 s, or 10,000 more than 10 s",
    );
  }
  expect(ticks).toBeGreaterThan(10);
});
