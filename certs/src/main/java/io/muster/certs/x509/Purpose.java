package io.muster.certs.x509;

/** What a leaf certificate is for. */
public enum Purpose {
  /** Muster's own TLS ports, the extender's and the webhook's. */
  SERVER("server", "1.3.6.1.5.5.7.3.1"),
  /** kube-scheduler, when it calls the extender. */
  SCHEDULER_CLIENT("scheduler client", "1.3.6.1.5.5.7.3.2");

  private final String words;
  private final String extendedKeyUsage;

  Purpose(String words, String extendedKeyUsage) {
    this.words = words;
    this.extendedKeyUsage = extendedKeyUsage;
  }

  /** How logs and messages name it. */
  public String words() {
    return words;
  }

  public String extendedKeyUsage() {
    return extendedKeyUsage;
  }
}
