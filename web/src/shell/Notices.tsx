/** Notices, the line that says the server is away, and the live region. */
import { online } from "../state/connection";
import { announced, dismiss, notices } from "../state/notices";
import { IconButton } from "./controls";
import { Icon } from "./Icon";

export function Notices() {
  return (
    <>
      <div class="visually-hidden" role="status" aria-live="polite">
        {announced.value}
      </div>
      {!online.value && (
        <div class="away" role="alert">
          <span class="dot" aria-hidden="true" /> The server is away. Nothing is lost; trying again …
        </div>
      )}
      <div class="notices">
        {notices.value.map((one) => (
          <div key={one.id} class={`notice notice-${one.kind}`} role={one.kind === "error" ? "alert" : "status"}>
            <Icon name={one.kind === "error" ? "unlike" : "check"} />
            <p>
              {one.text} {one.remedy && <span class="quiet">{one.remedy}</span>}
            </p>
            {one.action && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  dismiss(one.id);
                  one.action?.run();
                }}
              >
                {one.action.label}
              </button>
            )}
            <IconButton icon="close" label="Dismiss" onClick={() => dismiss(one.id)} />
          </div>
        ))}
      </div>
    </>
  );
}
