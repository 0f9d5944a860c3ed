package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import java.util.Optional;

/** Secrets of one namespace. Writes say whether they won against others. */
interface Secrets {

  String namespace();

  Optional<Secret> get(String name);

  /** Whether the Secret was made; it was not if it exists already. */
  boolean create(Secret secret);

  /** Whether the Secret was changed; it was not if it changed since it was read. */
  boolean update(Secret secret);
}
