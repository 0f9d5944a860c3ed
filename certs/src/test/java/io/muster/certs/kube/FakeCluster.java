package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.muster.certs.TrustRegistry;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Secrets and the webhook's registration in memory, with optimistic locking as the apiserver has
 * it, and a clock that is moved by hand. A process can be killed at a write. For one thread.
 */
final class FakeCluster implements Secrets, InstantSource {

  /** The process ended here; not an exception that anybody would catch. */
  static final class Killed extends Error {}

  /** What the apiserver was told, and since when. */
  record Told(Instant since, List<X509Certificate> authorities) {}

  private final Map<String, Secret> secrets = new HashMap<>();
  private final List<Told> told = new ArrayList<>();
  private Instant now = Instant.parse("2026-11-21T08:00:00Z");
  private int version;
  private int writes;
  private int killedAt = Integer.MAX_VALUE;
  private boolean killedBefore;

  @Override
  public Instant instant() {
    return now;
  }

  void pass(Duration time) {
    now = now.plus(time);
  }

  /** The next process to make the n-th write from now dies, before it is done or just after. */
  void killAtWrite(int n, boolean before) {
    killedAt = writes + n;
    killedBefore = before;
  }

  boolean hasKilled() {
    return killedAt == Integer.MAX_VALUE;
  }

  private void write(Runnable effect) {
    writes++;
    boolean dies = writes == killedAt;
    if (dies) {
      killedAt = Integer.MAX_VALUE;
    }
    if (dies && killedBefore) {
      throw new Killed();
    }
    effect.run();
    if (dies) {
      throw new Killed();
    }
  }

  @Override
  public String namespace() {
    return "muster-system";
  }

  @Override
  public Optional<Secret> get(String name) {
    return Optional.ofNullable(secrets.get(name));
  }

  @Override
  public boolean create(Secret secret) {
    if (secrets.containsKey(secret.getMetadata().getName())) {
      return false;
    }
    write(() -> put(secret));
    return true;
  }

  @Override
  public boolean update(Secret secret) {
    Secret present = secrets.get(secret.getMetadata().getName());
    if (present == null
        || !present
            .getMetadata()
            .getResourceVersion()
            .equals(secret.getMetadata().getResourceVersion())) {
      return false;
    }
    write(() -> put(secret));
    return true;
  }

  /** Writes whatever stands there, as somebody by hand. */
  void put(Secret secret) {
    version++;
    secrets.put(
        secret.getMetadata().getName(),
        new SecretBuilder(secret)
            .editMetadata()
            .withResourceVersion(Integer.toString(version))
            .endMetadata()
            .build());
  }

  void delete(String name) {
    secrets.remove(name);
  }

  /** Whatever an apiserver that learns of changes within this time may believe now. */
  List<List<X509Certificate>> believed(Duration lag) {
    Instant horizon = now.minus(lag);
    List<List<X509Certificate>> views = new ArrayList<>();
    for (int i = told.size() - 1; i >= 0; i--) {
      views.add(told.get(i).authorities());
      if (!told.get(i).since().isAfter(horizon)) {
        break;
      }
    }
    return views;
  }

  /** The registration as one process sees it: a write over what it has not seen is none. */
  TrustRegistry registry() {
    return new TrustRegistry() {
      private int seen;

      @Override
      public Optional<List<X509Certificate>> told() {
        seen = told.size();
        return told.isEmpty() ? Optional.empty() : Optional.of(told.getLast().authorities());
      }

      @Override
      public void tell(List<X509Certificate> authorities) {
        if (seen == told.size()) {
          register(authorities);
        }
      }
    };
  }

  void register(List<X509Certificate> authorities) {
    write(() -> told.add(new Told(now, List.copyOf(authorities))));
  }
}
