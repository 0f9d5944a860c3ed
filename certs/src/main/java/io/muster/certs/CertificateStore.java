package io.muster.certs;

import io.muster.certs.x509.CertificateBundle;
import java.util.Optional;

/**
 * Where the certificates outlive the process. Several replicas may use one store at once: whoever
 * writes first wins, and both writing methods return what the store holds afterwards, so that all
 * go on with the same authority. Never overwrites what it cannot read.
 */
public interface CertificateStore {

  /** How messages name the place. */
  String place();

  /** What is stored; empty before the first start. */
  Optional<CertificateBundle> load();

  /** Stores the bundle unless there is one already, and returns the one that is stored. */
  CertificateBundle create(CertificateBundle bundle);

  /**
   * Stores {@code next} if {@code previous} is still what is stored (or nothing is any more), and
   * returns the one that is stored: {@code next}, or what somebody else wrote meanwhile. With
   * {@code next} equal to {@code previous} it completes what a process that died in between left
   * half written, and writes nothing otherwise.
   */
  CertificateBundle replace(CertificateBundle previous, CertificateBundle next);
}
