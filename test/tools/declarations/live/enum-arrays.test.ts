import { sql } from "kysely";
import { odataService } from "odatakit";
import { introspectDatabase } from "odatakit/introspect";
import { expect, test } from "vitest";
import { ENGINES } from "../../../engine/executors/engines.ts";

test.each(ENGINES.filter(({ name }) => name === "postgres"))(
  "arrays of enumerations are collections of texts over $title if labels are not identifiers",
  async (engine) => {
    const { db, close } = await engine.open();
    try {
      await sql`create type mood as enum ('a b', 'c', 'it''s "d"')`.execute(db);
      await sql`create table diaries (id int primary key, mood mood, moods mood[], required mood[] not null default '{}')`.execute(
        db,
      );
      await sql`insert into diaries values (1, 'a b', array['it''s "d"', 'a b']::mood[], '{c}'), (2, null, null, '{}'), (3, 'c', '{NULL,c}', '{}')`.execute(
        db,
      );
      const { entitySets, described, warnings } = await introspectDatabase(db, {
        include: ["diaries"],
        operations: () => ["read", "create", "patch"],
      });
      expect(described.sets[0]?.properties.map(({ name, type, isCollection }) => [name, type, isCollection])).toEqual([
        ["Id", "Edm.Int32", false],
        ["Mood", "Edm.String", false],
        ["Moods", "Edm.String", true],
        ["Required", "Edm.String", true],
      ]);
      expect(warnings.filter(({ code }) => code === "enum-labels").map(({ place }) => place)).toEqual([
        "Diaries.Mood",
        "Diaries.Moods",
        "Diaries.Required",
      ]);
      const service = odataService({ prefix: "/odata", profile: "standard", entitySets });
      const read = async (path: string): Promise<unknown> => {
        const response = await service.fetch(new Request(encodeURI(`http://h/odata/${path}`)));
        return [response.status, await response.json()];
      };
      expect(await read("Diaries?$orderby=Id")).toMatchObject([
        200,
        {
          value: [
            { Id: 1, Mood: "a b", Moods: ['it\'s "d"', "a b"], Required: ["c"] },
            { Id: 2, Mood: null, Moods: [], Required: [] },
            { Id: 3, Mood: "c", Moods: [null, "c"], Required: [] },
          ],
        },
      ]);
      expect(await read("Diaries?$filter=Moods/any(m:m eq 'a b')&$select=Id")).toMatchObject([
        200,
        { value: [{ Id: 1 }] },
      ]);
      const posted = await service.fetch(
        new Request("http://h/odata/Diaries", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ Id: 4 }),
        }),
      );
      expect([posted.status, await posted.json()]).toMatchObject([201, { Id: 4, Required: [] }]);
    } finally {
      await sql`drop table diaries`.execute(db);
      await sql`drop type mood`.execute(db);
      await close();
    }
  },
);
