import { expect, test } from "vitest";
import { chooseModuleNames } from "../../../../src/tools/declarations/code/entity-code.ts";
import { describedService, describedSet } from "./described.ts";

/** The names of modules and variables for entity types and their sets. */
function namesOf(types: ReadonlyArray<readonly [type: string, set: string]>) {
  const sets = types.map(([typeName, setName]) => describedSet(typeName, { setName }));
  return chooseModuleNames(describedService(sets));
}

test("files whose names clash, or belong to the folder, get a suffix", () => {
  const { files } = namesOf([
    ["Index", "Indexes"],
    ["IndexEntity", "IndexEntities"],
    ["GPSDevice", "GPSDevices"],
    ["GpsDevice", "GpsDevices"],
  ]);
  expect([...files.values()]).toEqual([
    "./index-entity.ts",
    "./index-entity-entity.ts",
    "./gps-device.ts",
    "./gps-device-entity.ts",
  ]);
});

test("variables are identifiers, and differ", () => {
  const { sets, types } = namesOf([
    ["Class", "class"],
    ["Delete", "Delete"],
    ["Url", "URL"],
    ["Urls", "url"],
  ]);
  const variables = [...sets.values(), ...types.values()];
  expect(new Set(variables).size).toBe(variables.length);
  for (const name of variables) expect(name).toMatch(/^[\p{L}_$][\p{L}\p{N}_$]*$/u);
});
