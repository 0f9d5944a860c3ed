package io.muster.extender.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.protocol.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows where the volumes of members let them go. Claims and volumes are watched from the moment a
 * member that is on no node yet mounts a claim; a cluster without such members pays nothing. Until
 * a claim is known to be bound, and its volume is known too, the member counts as waiting for it,
 * also where Muster may not read them. Safe for concurrent use: members and what they mount are
 * told in the order in which they are seen.
 */
final class VolumeFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(VolumeFeed.class);
  private static final long NO_RESYNC = 0;

  private record Member(io.muster.extender.core.cluster.Pod pod, Set<String> claims) {}

  private final KubernetesClient client;
  private final Consumer<Event> told;
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

  /** Members that wait for a node, by uid. */
  private final Map<String, Member> members = new HashMap<>();

  /** The volume of each bound claim, by namespace and name. */
  private final Map<String, String> bound = new HashMap<>();

  /** The terms of each volume of which one must hold; none if it can be used everywhere. */
  private final Map<String, List<List<NodeTerm>>> volumes = new HashMap<>();

  VolumeFeed(KubernetesClient client, Consumer<Event> told) {
    this.client = client;
    this.told = told;
  }

  /** Tells the pod with what is known of its volumes, now and whenever that changes. */
  synchronized void tell(Pod read, io.muster.extender.core.cluster.Pod pod) {
    var claims = read.getSpec() == null ? Set.<String>of() : claims(read);
    boolean isWaiting =
        pod.membership().isPresent() && !pod.isBound() && !pod.isTerminal() && !claims.isEmpty();
    if (!isWaiting) {
      members.remove(pod.key().uid());
      told.accept(new Event.PodSeen(pod));
      return;
    }
    var member = new Member(pod, claims);
    members.put(pod.key().uid(), member);
    start();
    tell(member);
  }

  synchronized void forget(String uid) {
    members.remove(uid);
  }

  private void tell(Member member) {
    var terms = new ArrayList<List<NodeTerm>>();
    boolean awaits = false;
    for (var claim : member.claims()) {
      var volume = Optional.ofNullable(bound.get(claim)).map(volumes::get);
      awaits |= volume.isEmpty();
      volume.ifPresent(terms::addAll);
    }
    told.accept(new Event.PodSeen(member.pod().mounting(terms, awaits)));
  }

  private void tellWhere(Predicate<Member> concerned) {
    List.copyOf(members.values()).stream().filter(concerned).forEach(this::tell);
  }

  private void start() {
    if (informers.isEmpty()) {
      watch(
          client.persistentVolumes(),
          volume -> volumeSeen(name(volume), Constraints.terms(volume).stream().toList()),
          volume -> volumes.remove(name(volume)));
      watch(
          client.persistentVolumeClaims().inAnyNamespace(),
          this::claimSeen,
          claim -> bound.remove(key(claim)));
    }
  }

  private void volumeSeen(String name, List<List<NodeTerm>> terms) {
    if (!terms.equals(volumes.put(name, terms))) {
      tellWhere(member -> member.claims().stream().map(bound::get).anyMatch(name::equals));
    }
  }

  private void claimSeen(PersistentVolumeClaim claim) {
    var key = key(claim);
    boolean isBound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
    var volume = isBound ? claim.getSpec().getVolumeName() : null;
    var before = volume == null ? bound.remove(key) : bound.put(key, volume);
    if (before == null ? volume != null : !before.equals(volume)) {
      tellWhere(member -> member.claims().contains(key));
    }
  }

  /** What the pod mounts; a claim made for it has its name and the volume's. */
  private static Set<String> claims(Pod pod) {
    var names = new HashSet<String>();
    for (var volume : pod.getSpec().getVolumes()) {
      if (volume.getPersistentVolumeClaim() != null) {
        names.add(volume.getPersistentVolumeClaim().getClaimName());
      } else if (volume.getEphemeral() != null) {
        names.add(name(pod) + "-" + volume.getName());
      }
    }
    var keys = new HashSet<String>();
    names.forEach(name -> keys.add(pod.getMetadata().getNamespace() + "/" + name));
    return keys;
  }

  private static String key(HasMetadata claim) {
    return claim.getMetadata().getNamespace() + "/" + name(claim);
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  private <T extends HasMetadata> void watch(
      Informable<T> resources, Consumer<T> seen, Consumer<T> gone) {
    var informer = resources.runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("message", problem.getMessage())
          .log("claims or volumes cannot be watched; tried again");
      return true;
    });
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(T object) {
            take(seen, object);
          }

          @Override
          public void onUpdate(T before, T now) {
            take(seen, now);
          }

          @Override
          public void onDelete(T object, boolean finalStateUnknown) {
            take(gone, object);
          }
        });
    informers.add(informer);
    informer.start();
  }

  /** Never throws, since the informer would lose the rest. */
  private synchronized <T extends HasMetadata> void take(Consumer<T> change, T object) {
    try {
      change.accept(object);
    } catch (RuntimeException e) {
      LOG.atError()
          .setCause(e)
          .addKeyValue("object", name(object))
          .log("a claim or volume could not be read");
    }
  }

  @Override
  public synchronized void close() {
    informers.forEach(SharedIndexInformer::stop);
  }
}
