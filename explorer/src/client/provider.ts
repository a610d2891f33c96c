import { itemsIn, memberOf, textIn } from "./json-members.ts";
import { exchange } from "./service-client.ts";
import { NetworkError } from "./service-error.ts";
import { type Credential, type Provider, base64, toCredential } from "./sign-in.ts";

/** The channel on which the window of the provider sends its answer to the page that opened it. */
const CHANNEL = "odatakit-explorer-sign-in";

/**
 * Signs in at a provider, in a separate window. Verifier and token stay in the memory of the page.
 * @param service the root of the service
 * @param signal ends the wait for a reader who closes the window
 * @throws NetworkError with a sentence for people; DOMException `AbortError` after an abort
 * @see OpenID Connect Core 1.0, section 3.1; RFC 7636 (PKCE); RFC 9207
 */
export async function signInAt(
  { issuer, clientId, scope }: Provider,
  service: string,
  signal: AbortSignal,
): Promise<Credential> {
  // Browsers open a window only while they handle the click, so it begins empty.
  const window = open("", "_blank", "popup,width=520,height=680");
  if (window === null) throw new NetworkError("The browser did not open the window of the provider: permit it.");
  try {
    const { login, tokens } = await readEndpoints(issuer, signal);
    const [verifier, state] = [randomText(), randomText()];
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const shared = { client_id: clientId, redirect_uri: location.origin + location.pathname };
    const challenge = { code_challenge: base64url(new Uint8Array(digest)), code_challenge_method: "S256" };
    const asked = { ...shared, response_type: "code", scope, state, ...challenge };
    for (const [name, value] of Object.entries(asked)) login.searchParams.set(name, value);
    window.location.href = login.href;
    const code = await receiveCode(state, issuer, signal);
    const form = { ...shared, grant_type: "authorization_code", code, code_verifier: verifier };
    const answer = await ask(tokens, { method: "POST", body: new URLSearchParams(form), signal });
    const token = textIn(answer, "access_token");
    if (token === null) throw new NetworkError("The provider returned no token.");
    const claims = claimsIn(textIn(answer, "id_token") ?? "");
    const [name] = ["name", "preferred_username", "email"].flatMap((each) => textIn(claims, each) ?? []);
    return await toCredential({ kind: "oidc", service }, name ?? "", token, textIn(claims, "sub") ?? token);
  } finally {
    window.close();
  }
}

/** Hands the answer of a provider to the page that opened this window. @returns false in any other window */
export function passAnswer(search: string): boolean {
  const answer = new URLSearchParams(search);
  if (!answer.has("state") || !(answer.has("code") || answer.has("error"))) return false;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  new BroadcastChannel(CHANNEL).postMessage(Object.fromEntries(answer));
  close();
  return true;
}

async function readEndpoints(issuer: string, signal: AbortSignal): Promise<{ login: URL; tokens: string }> {
  const body = await ask(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`, { signal });
  const [login, tokens] = [textIn(body, "authorization_endpoint") ?? "", textIn(body, "token_endpoint")];
  const methods = itemsIn(body, "code_challenge_methods_supported");
  const hasPkce = methods.length === 0 || methods.includes("S256");
  if (textIn(body, "issuer") !== issuer || !hasPkce || !/^https?:/iu.test(login) || tokens === null) {
    throw new NetworkError(`The provider ${issuer} does not describe itself as OpenID Connect with PKCE asks for.`);
  }
  return { login: new URL(login), tokens };
}

/** Waits for the answer to this sign-in. Answers to others are not heard. */
function receiveCode(state: string, issuer: string, signal: AbortSignal): Promise<string> {
  const channel = new BroadcastChannel(CHANNEL);
  return new Promise<string>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("The sign-in was stopped.", "AbortError")));
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      const [code, sender] = [textIn(data, "code"), textIn(data, "iss") ?? issuer];
      if (memberOf(data, "state") !== state) return;
      if (code !== null && sender === issuer) resolve(code);
      else reject(refusal(data, sender));
    });
  }).finally(() => channel.close());
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const silence = `The provider did not answer at ${url}: it must permit requests from this page (CORS).`;
  const request: RequestInit = { ...init, credentials: "omit", headers: { Accept: "application/json" } };
  const { response, content } = await exchange(url, request, silence);
  if (response.ok) return content;
  throw refusal(content, `status ${response.status}`);
}

function refusal(body: unknown, fallback: string): NetworkError {
  const reason = textIn(body, "error_description") ?? textIn(body, "error") ?? fallback;
  return new NetworkError(`The provider refused: ${reason}`);
}

/** Returns the content of an ID token, for this page alone: only the service judges tokens. */
function claimsIn(idToken: string): unknown {
  try {
    const text = atob((idToken.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0))));
  } catch {
    return null;
  }
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64url(bytes: Uint8Array): string {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
