package io.muster.extender.core.gang;

/**
 * The ecosystems whose gang markings Muster reads, in the order in which they are asked. The label
 * is what users and objects see.
 */
public enum Dialect {
  MUSTER("muster"),
  NATIVE("native"),
  SCHEDULER_PLUGINS("scheduler-plugins"),
  KOORDINATOR("koordinator"),
  VOLCANO("volcano"),
  KAI("kai"),
  YUNIKORN("yunikorn"),
  KUEUE("kueue"),
  OWNER("owner");

  private final String label;

  Dialect(String label) {
    this.label = label;
  }

  /** Stable lower-case name, as written into objects, metrics and annotations. */
  public String label() {
    return label;
  }
}
