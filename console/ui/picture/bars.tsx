import "./bars.css";
import { Text } from "@mantine/core";
import { useId, useState, type KeyboardEvent, type ReactNode } from "react";
import { useTranslation } from "react-i18next";

/** The values of one interval. */
export interface Bar {
  key: string;
  /** The interval with its numbers, for the line below the bars and for screen readers. */
  name: string;
  /** The value drawn above the line. */
  up: number;
  /** The value drawn below the line. */
  down?: number;
  /** The value of an earlier interval, drawn behind the bar. */
  shade?: { up: number; down: number };
}

/** A labelled mark below a bar, for an event in that interval. */
export interface Mark {
  key: string;
  /** The index of the bar above the mark. */
  at: number;
  label: ReactNode;
}

/** The width of one bar in coordinates: the whole chart is stretched to fit its space. */
const step = 10;
const height = 200;
/** The minimum visible length of a bar that is not empty. */
const lengthMin = 4;

const moves: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  PageUp: (at) => at - 10,
  PageDown: (at) => at + 10,
  Home: () => 0,
  End: (_, last) => last,
};

/**
 * Shows a bar for each interval, or no bars if all are empty. Arrow keys move between bars; Enter or a click opens a
 * bar.
 */
export default function Bars({
  label,
  bars,
  marks,
  onOpen,
}: {
  /** The accessible name. */
  label: string;
  bars: readonly Bar[];
  marks?: { label: string; items: readonly Mark[] };
  onOpen: (index: number) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  const [chosen, setChosen] = useState<number>();
  const last = bars.length - 1;
  const most = (of: (bar: Bar) => number): number => Math.max(0, ...bars.map(of));
  const up = most((bar) => Math.max(bar.up, bar.shade?.up ?? 0));
  const down = most((bar) => Math.max(bar.down ?? 0, bar.shade?.down ?? 0));
  const scale = (height - 2 * lengthMin) / Math.max(1, up + down);
  const lengthOf = (value: number): number => (value === 0 ? 0 : Math.max(lengthMin, value * scale));
  const line = up + down === 0 ? height - 1 : Math.max(lengthOf(up), height - lengthOf(down) - lengthMin);

  const onKeyDown = (event: KeyboardEvent): void => {
    const move = moves[event.key];
    if (move !== undefined) setChosen((at = last) => Math.min(last, Math.max(0, move(at, last))));
    else if (event.key === "Enter" || event.key === " ") {
      if (chosen !== undefined) onOpen(chosen);
    } else return;
    event.preventDefault();
  };
  if (up + down === 0 && (marks?.items ?? []).length === 0) return null;
  return (
    <div>
      <svg
        className="bars"
        viewBox={`0 0 ${bars.length * step} ${height}`}
        preserveAspectRatio="none"
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-orientation="horizontal"
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${chosen}`}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setChosen((at = last) => at);
        }}
      >
        {bars.map((bar, index) => (
          <g
            key={bar.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            aria-label={bar.name}
            onPointerEnter={() => {
              setChosen(index);
            }}
            onClick={() => {
              onOpen(index);
            }}
          >
            <rect className="bar-area" x={index * step} y={0} width={step} height={height} />
            {bar.shade !== undefined && (
              <>
                <Part kind="shade" x={index * step} width={step} line={line} length={lengthOf(bar.shade.up)} />
                <Part kind="shade" x={index * step} width={step} line={line} length={-lengthOf(bar.shade.down)} />
              </>
            )}
            <Part kind="up" x={index * step + 2} width={step - 4} line={line} length={lengthOf(bar.up)} />
            <Part kind="down" x={index * step + 2} width={step - 4} line={line} length={-lengthOf(bar.down ?? 0)} />
          </g>
        ))}
        <line x1={0} y1={line} x2={bars.length * step} y2={line} />
      </svg>
      {marks !== undefined && marks.items.length > 0 && (
        <ul className="bar-marks" aria-label={marks.label}>
          {marks.items.map(({ key, at, label: text }) => {
            const place = (at + 0.5) / bars.length;
            // The label is on the side with more room.
            return place < 0.5 ? (
              <li key={key} style={{ marginInlineStart: `calc(${place * 100}% - 0.5em)` }}>
                {text}
              </li>
            ) : (
              <li key={key} className="bar-mark-end" style={{ marginInlineEnd: `calc(${(1 - place) * 100}% - 0.5em)` }}>
                {text}
              </li>
            );
          })}
        </ul>
      )}
      <Text size="sm">{chosen === undefined ? t("pictures.keys") : bars[chosen]?.name}</Text>
    </div>
  );
}

/** Draws a part of a bar: upwards from the line, or downwards if its length is negative. */
function Part({
  kind,
  x,
  width,
  line,
  length,
}: {
  kind: "up" | "down" | "shade";
  x: number;
  width: number;
  line: number;
  length: number;
}) {
  if (length === 0) return null;
  return (
    <rect
      className={`bar-${kind}`}
      x={x}
      y={length > 0 ? line - length : line}
      width={width}
      height={Math.abs(length)}
    />
  );
}
