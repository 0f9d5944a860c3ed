package io.muster.certs;

import java.util.Optional;

/**
 * Where the certificates outlive the process. Several replicas may use one store at once: whoever
 * writes first wins, and both writing methods return what the store holds afterwards, so that all
 * go on with the same authority. Never overwrites what it cannot read.
 */
public interface CertificateStore {

  /** What is stored; empty before the first start. */
  Optional<CertificateBundle> load();

  /** Stores the bundle unless there is one already, and returns the one that is stored. */
  CertificateBundle create(CertificateBundle bundle);

  /**
   * Stores {@code next} if {@code previous} is still what is stored (or nothing is any more), and
   * returns the one that is stored: {@code next}, or what somebody else wrote meanwhile.
   */
  CertificateBundle replace(CertificateBundle previous, CertificateBundle next);
}
