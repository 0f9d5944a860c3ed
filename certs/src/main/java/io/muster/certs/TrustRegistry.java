package io.muster.certs;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** Where those who call Muster's servers learn which authorities to believe. */
public interface TrustRegistry {

  /** What they are told; empty if nobody is told to call at all. */
  Optional<List<X509Certificate>> told();

  /** Tells them, unless it changed since it was last read: then the next check finds out. */
  void tell(List<X509Certificate> authorities);
}
