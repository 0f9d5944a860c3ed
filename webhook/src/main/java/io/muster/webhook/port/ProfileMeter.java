package io.muster.webhook.port;

/** Counts what became of documents of profiles. Safe for concurrent use. */
public interface ProfileMeter {

  /** The newest document is in force. */
  void loaded();

  /** The newest document has mistakes; an older one stays in force. */
  void refused();
}
