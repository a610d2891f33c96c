import type { Credential } from "./credentials.ts";
import { itemsIn, memberOf, textIn } from "./json-members.ts";
import { NetworkError } from "./service-error.ts";
import type { SignIn } from "./sign-in.ts";

/** The channel on which the window of the provider hands its answer to the page that opened it. */
const CHANNEL = "odatakit-explorer-sign-in";
const VERIFIER_BYTES = 32;

/** What a provider says about itself. */
interface Provider {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
}

/**
 * Signs in at the provider, in a window of its own, and returns the token. Verifier and token stay in the memory of the page.
 * @param signal ends the wait for a reader who closes the window
 * @throws NetworkError with a sentence for people; DOMException `AbortError` after an abort
 * @see OpenID Connect Core 1.0, section 3.1; RFC 7636 (PKCE); RFC 9207
 */
export async function signInAtProvider(
  settings: SignIn & { readonly kind: "oidc" },
  page: string,
  signal: AbortSignal,
): Promise<Credential> {
  // Browsers open a window only while they handle the click, so it begins empty.
  const window = open("", "_blank", "popup,width=520,height=680");
  if (window === null) {
    throw new NetworkError("The browser did not open the window of the provider: permit it, and try again.");
  }
  try {
    const provider = await readProvider(settings.issuer, signal);
    const [verifier, state] = [randomText(), randomText()];
    window.location.href = await authorizationUrl(provider, settings, { page, verifier, state });
    const code = await receiveCode(state, settings.issuer, signal);
    return await exchange(provider, { code, verifier, page, clientId: settings.clientId, signal });
  } finally {
    window.close();
  }
}

/**
 * Hands the answer of a provider to the page that opened this window.
 * @returns false if this window is not such an answer
 */
export function passAnswer(search: string): boolean {
  const answer = new URLSearchParams(search);
  if (!answer.has("state") || !(answer.has("code") || answer.has("error"))) return false;
  const channel = new BroadcastChannel(CHANNEL);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  channel.postMessage(Object.fromEntries(answer));
  channel.close();
  close();
  return true;
}

async function readProvider(issuer: string, signal: AbortSignal): Promise<Provider> {
  const body = await askProvider(`${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`, { signal });
  const [authorizationEndpoint, tokenEndpoint] = [
    textIn(body, "authorization_endpoint"),
    textIn(body, "token_endpoint"),
  ];
  const methods = itemsIn(body, "code_challenge_methods_supported");
  const isUsable = methods.length === 0 || methods.includes("S256");
  if (textIn(body, "issuer") !== issuer || authorizationEndpoint === null || tokenEndpoint === null || !isUsable) {
    throw new NetworkError(`The provider ${issuer} does not describe itself as OpenID Connect with PKCE asks for.`);
  }
  return { authorizationEndpoint, tokenEndpoint };
}

async function authorizationUrl(
  { authorizationEndpoint }: Provider,
  { clientId, scope }: SignIn & { readonly kind: "oidc" },
  { page, verifier, state }: { readonly page: string; readonly verifier: string; readonly state: string },
): Promise<string> {
  const url = new URL(authorizationEndpoint);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new NetworkError(`The address ${url.href} of the provider is no page of the web.`);
  }
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: page,
    scope,
    state,
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** Waits for the answer to this sign-in. Answers to others are not heard. */
function receiveCode(state: string, issuer: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const channel = new BroadcastChannel(CHANNEL);
    signal.addEventListener("abort", () => {
      channel.close();
      reject(new DOMException("The sign-in was stopped.", "AbortError"));
    });
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (memberOf(data, "state") !== state) return;
      channel.close();
      const code = textIn(data, "code");
      const sender = textIn(data, "iss") ?? issuer;
      if (code !== null && sender === issuer) resolve(code);
      else reject(refusal(data, sender));
    });
  });
}

async function exchange(
  { tokenEndpoint }: Provider,
  parts: {
    readonly code: string;
    readonly verifier: string;
    readonly page: string;
    readonly clientId: string;
    readonly signal: AbortSignal;
  },
): Promise<Credential> {
  const body = await askProvider(tokenEndpoint, {
    method: "POST",
    signal: parts.signal,
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: parts.code,
      redirect_uri: parts.page,
      client_id: parts.clientId,
      code_verifier: parts.verifier,
    }),
  });
  const token = textIn(body, "access_token");
  if (token === null) throw new NetworkError("The provider returned no token.");
  return { kind: "bearer", token, name: nameOf(textIn(body, "id_token")) };
}

async function askProvider(url: string, request: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...request, credentials: "omit", headers: { Accept: "application/json" } });
  } catch (error) {
    if (error instanceof DOMException) throw error;
    throw new NetworkError(`The provider did not answer at ${url}: it must permit requests from this page (CORS).`);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) return body;
  throw refusal(body, `status ${String(response.status)}`);
}

function refusal(body: unknown, fallback: string): NetworkError {
  const reason = textIn(body, "error_description") ?? textIn(body, "error") ?? fallback;
  return new NetworkError(`The provider refused: ${reason}`);
}

/** Returns the name in an ID token, for the eyes of the reader alone: only the service judges tokens. */
function nameOf(idToken: string | null): string | null {
  try {
    const text = atob((idToken?.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.codePointAt(0) ?? 0);
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return textIn(claims, "name") ?? textIn(claims, "preferred_username") ?? textIn(claims, "email");
  } catch {
    return null;
  }
}

function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(VERIFIER_BYTES)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
