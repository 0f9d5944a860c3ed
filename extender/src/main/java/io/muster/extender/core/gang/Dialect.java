package io.muster.extender.core.gang;

/** The ecosystems whose gang markings Muster reads. The label is what users and objects see. */
public enum Dialect {
  MUSTER("muster"),
  KOORDINATOR("koordinator");

  private final String label;

  Dialect(String label) {
    this.label = label;
  }

  /** Stable lower-case name, as written into objects, metrics and annotations. */
  public String label() {
    return label;
  }
}
