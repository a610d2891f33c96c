import { expect, test } from "vitest";
import { COMMANDS } from "../../../src/tools/cli/commands.ts";
import { FILE_SETTINGS } from "../../../src/tools/cli/settings/file-settings.ts";
import { settingsSchema } from "../../../src/tools/cli/settings/settings-schema.ts";
import { readSource } from "../../house/source-files.ts";

test("the schema of odatakit.json has each option that the file may hold", async () => {
  const commands = await Promise.all(COMMANDS.map(({ load }) => load()));
  const options = commands.flatMap((command) =>
    Object.entries(command.options).flatMap(([name, { inFile }]) => (inFile ? [name] : [])),
  );
  expect(new Set(FILE_SETTINGS.keys())).toEqual(
    new Set([...options, "$schema", "keys", "map", "names", "relations", "sets"]),
  );
  expect(Object.keys(settingsSchema()["properties"] as object)).toEqual([...FILE_SETTINGS.keys()]);
});

test("the schema describes each form of a setting", () => {
  const schema = settingsSchema();
  expect(schema["additionalProperties"]).toBe(false);
  expect(schema["properties"]).toMatchObject({
    port: { type: ["string", "number", "boolean"], description: expect.stringContaining("TCP port") as unknown },
    profile: { enum: ["standard", "specification"] },
    anonymous: { type: "boolean" },
    include: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    write: { anyOf: [{ type: "boolean" }, { type: "string" }, { type: "array", items: { type: "string" } }] },
    names: {
      anyOf: [{ enum: ["idiomatic", "as-is"] }, { type: "object", additionalProperties: { type: "string" } }],
    },
    sets: {
      additionalProperties: {
        type: "object",
        properties: { "max-top": { type: "integer", minimum: 1 }, search: { anyOf: [{ type: "boolean" }, {}] } },
        additionalProperties: false,
      },
    },
  });
});

test("the package contains the schema; `npm run build` writes it", () => {
  const { text } = readSource("odatakit.schema.json");
  expect(text).toBe(`${JSON.stringify(settingsSchema(), null, 2)}\n`);
});
