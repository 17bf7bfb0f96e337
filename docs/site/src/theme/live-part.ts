// The element of a page in which the playground or a live case is shown; without JavaScript its content stays.
import { defineComponent, h, onBeforeUnmount, onMounted, ref } from "vue";
import type { Part } from "../playground/mount.tsx";

export const LivePart = defineComponent({
  name: "LivePart",
  props: {
    kind: { type: String, required: true },
    /** Of a case: its YAML, percent-encoded, as it is an attribute of a template. */
    source: { type: String, default: "" },
    /** Of a case: the heading above it. */
    label: { type: String, default: "" },
    /** Of a case: the page of the playground. */
    playground: { type: String, default: "" },
  },
  setup({ kind, source, label, playground }, { slots }) {
    const host = ref<HTMLElement>();
    const isShown = ref(false);
    let unmount: (() => void) | undefined;
    let isGone = false;
    const part: Part =
      kind === "playground"
        ? { kind }
        : { kind: "case", source: decodeURIComponent(source), label, playground };
    onMounted(async () => {
      const { mount } = await import("../playground/mount.tsx");
      if (isGone || host.value === undefined) return;
      unmount = mount(host.value, part);
      isShown.value = true;
    });
    onBeforeUnmount(() => {
      isGone = true;
      unmount?.();
    });
    return () => [
      h("div", { class: "live-part", ref: host }),
      isShown.value ? null : h("div", { class: "live-part-text" }, slots["default"]?.()),
    ];
  },
});
