/** What the wall shows when there are no pictures to show: loading, nothing, errors. */
import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/client";
import { Icon } from "../shell/Icon";

const SHAPES = ["wide", "tall", "square", "wide", "square", "tall", "wide", "square", "tall", "wide", "square", "wide"];

/** Empty frames in the rhythm of the wall. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status" aria-label="Pictures are on their way">
      {SHAPES.map((shape, i) => (
        <span key={i} class={`frame ${shape}`} />
      ))}
    </div>
  );
}

/** Frames that hang crooked: nothing here, and what to do about it. */
export function Nothing({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="nothing">
      <svg class="nothing-art" viewBox="0 0 200 120" aria-hidden="true">
        <path class="wire" d="M60 46 L78 22 L98 46 M120 52 L137 30 L154 50" />
        <rect class="empty-frame" x="52" y="46" width="54" height="58" rx="3" transform="rotate(-4 79 75)" />
        <rect class="empty-frame dashed" x="114" y="51" width="48" height="40" rx="3" transform="rotate(5 138 71)" />
      </svg>
      <h2>{title}</h2>
      <div class="nothing-words">{children}</div>
    </div>
  );
}

/** Whether what an address names is not there, or never was: trying again does not help. */
export function isLost(error: ApiError | null): boolean {
  return error?.status === 404 || error?.status === 422;
}

/** Where a wrong address leads. */
export function Lost() {
  return (
    <main class="waiting">
      <Nothing title="This link no longer works">
        <p>What it led to may be deleted, or its address was copied only in part.</p>
        <p>
          <a class="button accent" href="/">
            To all collections
          </a>
        </p>
      </Nothing>
    </main>
  );
}

export function Failure({ error, onRetry }: { error: ApiError; onRetry: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      {error.remedy && <p class="quiet">{error.remedy}</p>}
      <button type="button" class="button" onClick={onRetry}>
        <Icon name="retry" /> Try again
      </button>
    </div>
  );
}
