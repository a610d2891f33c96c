import { afterEach, describe, expect, test } from "vitest";
import { findBrowser, type Page } from "../browser.ts";
import { hostileService } from "./hostile-service.ts";
import { notesService } from "./notes-service.ts";
import { axeFindings } from "./open-explorer.ts";
import { peopleService } from "./people-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("a user who may do some things only", () => {
  const { routes, open: openServed } = servedExplorers(program);
  const textOf = (page: Page): Promise<string> => page.locator("main").innerText();

  /** Before the rules of the user are known, the service may refuse a request. */
  async function open(fragment: string) {
    const explorer = await openServed(peopleService(routes({ signIn: { kind: "key" } })), "/people", fragment);
    for (const text of explorer.complaints.splice(0)) expect(text).toContain("403");
    return explorer;
  }

  test("sees no property on any screen that the user may not read", async () => {
    const { page, show, settle, complaints, requests } = await open("#/grid/People");
    for (const view of [
      "#/grid/People",
      "#/grid/People?$select=Name",
      "#/record/People(1)",
      "#/edit/People(1)",
      "#/query/People",
      "#/chart/People",
      "#/relations",
      "#/home",
    ]) {
      await show(view);
      expect([view, (await textOf(page)).match(/Salary|Pin\b|123,?456/gu)]).toEqual([view, null]);
    }
    await show("#/grid/People");
    await page.locator('button:has-text("columns")').click();
    await settle();
    expect(await page.locator("[role=dialog]").innerText()).not.toMatch(/Salary|Pin\b/u);
    expect(requests.filter((each) => /Salary|Pin\b/u.test(each))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("saves a file without these properties", async () => {
    const { page, settle, complaints } = await open("#/grid/People");
    await page.evaluate(`{
      const make = URL.createObjectURL.bind(URL);
      URL.createObjectURL = (file) => {
        file.text().then((text) => { globalThis.saved = text; });
        return make(file);
      };
    }`);
    await page.locator('button:has-text("CSV")').click();
    await settle();
    await expect.poll(() => page.evaluate("globalThis.saved")).toMatch(/^\uFEFF?Id,Name,Grade,BossId\r\n1,p1,,1\r\n/u);
    expect(complaints).toEqual([]);
  });

  test("gets no button and no field for writes that the user may not do", async () => {
    const { page, show, complaints } = await open("#/record/People(1)");
    const head = page.locator(".record-head");
    expect([await head.locator("text=Edit").count(), await head.locator("text=Delete").count()]).toEqual([1, 0]);
    const fields = (): Promise<string> => page.locator(".edit-form").innerText();
    await show("#/edit/People(1)");
    expect((await fields()).match(/Name|Grade|Salary|Pin\b/gu)).toEqual(["Name"]);
    await show("#/edit/People");
    expect(await fields()).toMatch(/Pin\b/u);
    expect(await fields()).not.toMatch(/Grade|Salary/u);
    await show("#/edit/Bosses");
    expect(await page.locator(".edit-form").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test("sees the rest after signing in as a user who may do more", async () => {
    const { page, show, settle, complaints } = await open("#/grid/People");
    await page.locator('button:has-text("Sign in")').click();
    await page.locator("dialog[open] input").fill("hr");
    await page.locator("dialog[open] input").press("Enter");
    await settle();
    expect(await textOf(page)).toMatch(/Salary/u);
    await show("#/record/People(1)");
    expect(await page.locator(".record-head").innerText()).toContain("Delete");
    expect(await textOf(page)).toMatch(/123,456/u);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(program === undefined)("signing in", () => {
  const { routes, open } = servedExplorers(program);

  test("a key that the service takes for none is wrong, and a right one is not", async () => {
    const service = hostileService({ routes: routes({ signIn: { kind: "key" } }) });
    const { page, settle } = await open(service, "/hostile", "#/home");
    const dialog = page.locator("dialog[open]");
    await page.locator('button:has-text("Sign in")').click();
    expect(await dialog.locator("[role=alert]").count()).toBe(0);
    for (const [key, refusals] of [
      ["wrong", 1],
      ["right", 0],
    ] as const) {
      await dialog.locator("input").fill(key);
      await dialog.locator("input").press("Enter");
      await settle();
      expect([key, await page.locator("dialog[open] [role=alert]").count()]).toEqual([key, refusals]);
      expect(await axeFindings(page)).toEqual([]);
    }
    expect(await dialog.count()).toBe(0);
  });
});

describe.skipIf(program === undefined)("warnings of the application", () => {
  const { routes, open } = servedExplorers(program);

  test("stand on Home for users who may read statements, and fit a narrow screen", async () => {
    const place = "customers.password_hash_of_the_last_century";
    const warnings = () => [{ code: "secret", place, message: "omitted because of its name", fix: "--include-column" }];
    const { page, settle, complaints } = await open(
      notesService({ routes: routes({ warnings }) }).service,
      "/notes",
      "#/home",
    );
    await page.setViewportSize({ width: 320, height: 700 });
    await settle();
    expect(await page.locator("main .findings").innerText()).toContain(place);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe.skipIf(program === undefined)("facts about the service that do not arrive", () => {
  const { routes, open: openServed } = servedExplorers(program);
  const held: (() => void)[] = [];
  const release = (): void => {
    for (const each of held.splice(0)) each();
  };
  afterEach(release);

  /** Opens the page at a view, without its facts. */
  async function open(fragment: string, answer: "late" | "html" | 500) {
    const explorer = await openServed(peopleService(routes()), "/people", "#/home");
    const { page } = explorer;
    await page.route("**/explorer/about.json", async (route) => {
      if (answer === "html") return route.fulfill({ contentType: "text/html", body: "<html>Sign in</html>" });
      if (answer === 500) return route.fulfill({ status: answer, body: "" });
      await new Promise<void>((resolve) => {
        held.push(resolve);
      });
      // The page may have gone.
      return route.continue().catch(() => undefined);
    });
    await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`);
    await page.reload();
    return explorer;
  }

  test.each([
    ["#/home", "main .cards"],
    ["#/grid/People", "main td >> text=p1"],
    ["#/record/People(1)", "main dd >> text=p1"],
  ])("do not delay %s, which changes when they arrive", async (fragment, content) => {
    const { page, settle } = await open(fragment, "late");
    await page.locator(content).first().waitFor();
    expect(held.length).toBeGreaterThan(0);
    release();
    await settle();
    await page.locator(content).first().waitFor();
    expect(await page.locator('main button:has-text("Delete")').count()).toBe(0);
  });

  test("a refused request waits for them, and then asks without what the user may not read", async () => {
    const { page, settle, requests } = await open("#/chart/People", "late");
    await expect.poll(() => requests.some((each) => each.includes("Salary"))).toBe(true);
    expect(await page.locator("main [role=alert]").count()).toBe(0);
    release();
    await settle();
    expect(await page.locator("main [role=alert]").count()).toBe(0);
    expect(requests.at(-1)).not.toContain("Salary");
  });

  test("the cost of a query is that of the request of the grid", async () => {
    const explorer = await openServed(peopleService(routes()), "/people", "#/grid/People?$select=Name");
    const { requests, show } = explorer;
    const asked = requests.filter((each) => each.startsWith("GET /People")).at(-1);
    requests.length = 0;
    await show("#/cost/People?$select=Name");
    expect(requests.filter((each) => each.startsWith("GET /People"))).toEqual([asked]);
  });

  test.each([500, "html"] as const)("leave the page as it is: %s", async (answer) => {
    const { page, settle } = await open("#/grid/People", answer);
    await page.locator("main td >> text=p1").first().waitFor();
    await settle();
    expect(await page.locator("[role=alert]").count()).toBe(0);
    expect(await page.locator(".brand").innerText()).not.toBe("");
  });
});
