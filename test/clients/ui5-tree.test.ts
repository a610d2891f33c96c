import { expect, test } from "vitest";
import { describeClient, eventually } from "./describe-client.ts";
import { UI5_HEAD } from "./package-files.ts";
import { openTree } from "./tree-shop.ts";

/** The options of the last request with `$apply`, in a batch. */
function lastApply(sent: readonly string[]): string {
  const applied = sent.flatMap((text) => text.match(/GET \S+\$apply=\S+/gu) ?? []);
  return decodeURIComponent(applied.at(-1) ?? "");
}

describeClient("OpenUI5, a tree table", "ui5-tree", { head: UI5_HEAD, open: () => openTree() }, (client) => {
  test("shows the roots", async () => {
    expect(await client().run("open(1)")).toEqual(["+Car", "+Bike"]);
    expect(lastApply(client().sent)).toContain("com.sap.vocabularies.Hierarchy.v1.TopLevels(");
    await eventually(() => client().run("texts()")).toEqual(["Car", "Bike"]);
  });

  test("expands and collapses a node", async () => {
    expect(await client().run('expand("Car")')).toEqual(["-Car", ".+Engine", ".Door", "+Bike"]);
    expect(lastApply(client().sent)).toContain("descendants($root/Parts,PartTree,Id,filter(Id eq 1),1)");
    expect(await client().run('expand("Engine")')).toEqual(["-Car", ".-Engine", "..Valve", ".Door", "+Bike"]);
    await eventually(() => client().run("texts()")).toEqual(["Car", "Engine", "Valve", "Door", "Bike"]);
    expect(await client().run('collapse("Car")')).toEqual(["+Car", "+Bike"]);
    await client().run('expandRow("Bike")');
    await eventually(() => client().run("nodes()")).toEqual(["+Car", "-Bike", ".Wheel", ".Saddle"]);
    await eventually(() => client().run("texts()")).toEqual(["Car", "Bike", "Wheel", "Saddle"]);
  });

  test("shows a tree that is expanded to two levels, and all levels of a node", async () => {
    expect(await client().run("open(2)")).toEqual(["-Car", ".+Engine", ".Door", "-Bike", ".Wheel", ".Saddle"]);
    expect(await client().run('expand("Engine", Number.MAX_SAFE_INTEGER)')).toEqual([
      "-Car",
      ".-Engine",
      "..Valve",
      ".Door",
      "-Bike",
      ".Wheel",
      ".Saddle",
    ]);
  });

  test("filters: the ancestors of the matching nodes remain", async () => {
    await client().run("open(2)");
    expect(await client().run('filter("Name", "EQ", "Valve")')).toEqual(["-Car", ".+Engine"]);
    expect(lastApply(client().sent)).toContain(
      "ancestors($root/Parts,PartTree,Id,filter(Name eq 'Valve'),keep start)/",
    );
    expect(await client().run('expand("Engine")')).toEqual(["-Car", ".-Engine", "..Valve"]);
    expect(await client().run('filter("Name")')).toContain("-Bike");
  });

  test("sorts the children of each node", async () => {
    expect(await client().run('sort("Name", false)')).toEqual(expect.arrayContaining(["-Bike"]));
    const shown = (await client().run("nodes()")) as readonly string[];
    expect(shown.filter((name) => !name.startsWith("."))).toEqual(["-Bike", "-Car"]);
    await client().run('sort("Id", false)');
  });

  test("creates a child by a link to its parent", async () => {
    await client().run("open(2)");
    expect(await client().run('create("Bike", "Bell")')).toContain(".Bell");
    expect(client().sent.join("\n")).toContain('{"Name":"Bell","Parent@odata.bind":"Parts(2)"}');
    expect(await client().shop.names()).toContain("Bell in Bike");
    expect(await client().run('create(null, "Boat")')).toContain("Boat");
    expect(await client().shop.names()).toContain("Boat in nothing");
  });

  test("moves a node below another one, and to the roots", async () => {
    await client().run("open(2)");
    await client().run('move("Door", "Bike")');
    expect(await client().shop.names()).toContain("Door in Bike");
    await client().run('move("Door", null)');
    expect(await client().shop.names()).toContain("Door in nothing");
  });

  test("deletes a node", async () => {
    expect(await client().run('remove("Saddle")')).not.toContain(".Saddle");
    expect(await client().shop.names()).not.toContain("Saddle in Bike");
  });

  test("pages: the widget reads further nodes as it scrolls", async () => {
    expect(await client().run("open(9, 3)")).toHaveLength(3);
    expect(lastApply(client().sent)).toContain("$skip=0&$top=3");
  });
});
