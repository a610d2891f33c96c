import type { FunctionComponent, JSX } from "preact";
import { Button } from "../parts/button.tsx";
import { Heading } from "../parts/heading.tsx";
import { Loadable } from "../parts/loadable.tsx";
import type { ScreenProps } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";

/** Makes a screen whose code the browser loads when the screen is shown first. */
export function lazyScreen(
  title: string,
  load: () => Promise<FunctionComponent<ScreenProps>>,
): FunctionComponent<ScreenProps> {
  return function LazyScreen(props: ScreenProps): JSX.Element {
    const loading = useLoaded(title, async () => ({ Content: await load() }));
    // Changes of the data load the code anew, which the browser has.
    if (loading.last !== null) return <loading.last.Content {...props} />;
    return (
      <>
        <Heading>{title}</Heading>
        {loading.state.kind === "failed" ? (
          <Missing title={title} />
        ) : (
          <Loadable loading={loading} label="Loading the screen" children={() => null} />
        )}
      </>
    );
  };
}

/** Says that a file of the page is missing. After an update of the service, its files have other names. */
function Missing({ title }: { readonly title: string }): JSX.Element {
  return (
    <div class="notice notice-error" role="alert">
      <h2>This screen could not be loaded</h2>
      <p>The code of {title} is not there. The service may have a new version, or the network failed.</p>
      <Button kind="primary" onClick={() => location.reload()}>
        Load the page again
      </Button>
    </div>
  );
}
