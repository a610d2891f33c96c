import { serve, type RunningServer } from "odatakit/node";
import { openApiDocument, openApiRoute } from "odatakit/openapi";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { worldService } from "../../examples/world/service.ts";
import { openEmptyWorld } from "../examples/empty-world.ts";
import { everything } from "../hosts/openapi/model.ts";
import { operationsOf } from "../hosts/openapi/walk.ts";
import { findBrowser, openBrowser, type Browser, type Page } from "./browser.ts";

const program = findBrowser();
if (program === undefined) {
  console.log(
    "The tests in a browser are skipped: there is no chromium. `npm run test:browser` installs it where it may.",
  );
}

const db = await openEmptyWorld();

describe.skipIf(program === undefined)("the viewer in a browser", () => {
  const shop = everything({ name: "shop", routes: [openApiRoute({ viewer: true })] });
  const world = worldService(db);
  let server: RunningServer;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const requests: string[] = [];

  beforeAll(async () => {
    server = await serve([shop, world], { port: 0 });
    browser = await openBrowser(program ?? "");
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await db.destroy();
  });
  beforeEach(async () => {
    complaints.length = 0;
    requests.length = 0;
    page = await browser.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => requests.push(request.url()));
  });
  afterEach(() => page.close());

  const open = async (prefix = "/shop") => {
    const response = await page.goto(`${server.url}${prefix}/openapi`);
    await page.locator(".opblock").first().waitFor();
    return response;
  };

  test.each([
    ["shop", shop],
    ["World", world],
  ])("shows the title and every operation, and complains of nothing: %s", async (title, service) => {
    await open(service.prefix);
    expect(await page.title()).toBe(title);
    expect(await page.locator(".info .title").innerText()).toContain(title);
    const shown = async (): Promise<readonly string[]> => {
      const methods = await page.locator(".opblock-summary-method").allInnerTexts();
      const paths = await page.locator(".opblock-summary-path").allInnerTexts();
      // The page breaks long paths by characters without width.
      return paths.map((path, index) => `${methods[index] ?? ""} ${path.replaceAll(/[\s\u200B]/g, "")}`).toSorted();
    };
    await expect.poll(shown).toEqual(operationsOf(openApiDocument(service)));
    expect(complaints).toEqual([]);
  });

  test("sends requests only to the service", async () => {
    await open();
    const own = requests.filter((url) => !url.startsWith("data:") && !url.startsWith("blob:"));
    expect(new Set(own.map((url) => url.slice(server.url.length)))).toEqual(
      new Set([
        "/shop/openapi",
        "/shop/openapi/start.js",
        "/shop/openapi/swagger-ui-bundle.js",
        "/shop/openapi/swagger-ui.css",
        "/shop/openapi.json",
      ]),
    );
    expect(own.filter((url) => !url.startsWith(`${server.url}/`))).toEqual([]);
  });

  test("obeys its policy: no inline script, no other origin", async () => {
    const response = await open();
    expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'");
    await page.evaluate(
      `(() => { const script = document.createElement("script"); script.textContent = "window.ran = 1"; document.head.append(script); })()`,
    );
    expect(await page.evaluate("window.ran")).toBeUndefined();
    const other = server.url.replace("localhost", "127.0.0.1");
    expect(other).not.toBe(server.url);
    expect(await page.evaluate(`fetch(${JSON.stringify(other)}).then(() => "sent", () => "held back")`)).toBe(
      "held back",
    );
    for (const directive of ["script-src 'self'", "connect-src 'self'"]) {
      await expect
        .poll(() => complaints)
        .toContainEqual(expect.stringMatching(`Content Security Policy directive.*${directive}`));
    }
  });

  test("sends a request and shows the response", async () => {
    await open();
    const block = page.locator('[id^="operations-Lines-"][id$="list"]');
    await block.locator(".opblock-summary").first().click();
    await block.locator(".try-out__btn").click();
    await block.locator("tr[data-param-name='$top'] input").fill("1");
    await block.locator("button.execute").click();
    const answer = block.locator(".live-responses-table .response");
    await answer.waitFor();
    expect(await answer.locator(".response-col_status").innerText()).toContain("200");
    expect(await answer.locator("pre").first().innerText()).toContain('"value": []');
    expect(requests.map((url) => decodeURIComponent(url))).toContain(`${server.url}/shop/Lines?$top=1`);
    expect(complaints).toEqual([]);
  });
});
