// The fields of what-if: each marks what differs from what was recorded.
import { useId } from "preact/hooks";

interface SliderProps {
  readonly label: string;
  readonly max: number;
  readonly value: number;
  readonly recorded: number;
  readonly onValue: (value: number) => void;
}

export function Slider({ label, max, value, recorded, onValue }: SliderProps) {
  const id = useId();
  return (
    <div class="control">
      <label class="control-label" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={max}
        value={value}
        onInput={(event) => onValue(Number(event.currentTarget.value))}
      />
      <output class={value === recorded ? "" : "edited"}>
        {value} of {max}
      </output>
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly isLabelUnseen?: boolean;
  readonly class?: string;
  readonly value: string;
  readonly recorded: string;
  readonly isValid: boolean;
  /** What else is marked, and taken for nothing. */
  readonly pattern?: string;
  readonly onValue: (value: string) => void;
}

export function TextField(props: TextFieldProps) {
  const {
    label,
    isLabelUnseen = false,
    class: name = "",
    value,
    recorded,
    isValid,
    pattern,
    onValue,
  } = props;
  return (
    <label class={`field ${name}`}>
      <span class={isLabelUnseen ? "unseen" : ""}>{label}</span>
      <input
        class={value === recorded ? "" : "edited"}
        inputMode="decimal"
        autocomplete="off"
        spellcheck={false}
        value={value}
        pattern={pattern}
        aria-invalid={isValid ? undefined : "true"}
        title={value === recorded ? undefined : `recorded: ${recorded}`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}
