package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.Constraints;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Knows where the volumes of members let them go. Claims and volumes are watched from the moment a
 * member that is on no node yet mounts a claim; a cluster without such members pays nothing. Until
 * a claim is known to be bound, and its volume is known too, the member counts as waiting for it,
 * also where Muster may not read them. Safe for concurrent use: members and what they mount are
 * told in the order in which they are seen.
 */
public final class VolumeFeed implements AutoCloseable {

  private record Member(io.muster.extender.core.cluster.Pod pod, Set<String> claims) {}

  private final KubernetesClient client;
  private final Consumer<Event> told;
  private final SideWatches watches = new SideWatches();
  private boolean isWatching;

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
    if (!isWatching) {
      isWatching = true;
      watches.open(
          client.persistentVolumes(),
          volume -> volumeSeen(name(volume), Constraints.terms(volume).stream().toList()),
          volume -> volumeGone(name(volume)));
      watches.open(
          client.persistentVolumeClaims().inAnyNamespace(),
          this::claimSeen,
          claim -> claimGone(key(claim)));
    }
  }

  private synchronized void volumeSeen(String name, List<List<NodeTerm>> terms) {
    if (!terms.equals(volumes.put(name, terms))) {
      tellWhere(uses(name));
    }
  }

  private synchronized void volumeGone(String name) {
    if (volumes.remove(name) != null) {
      tellWhere(uses(name));
    }
  }

  private Predicate<Member> uses(String volume) {
    return member -> member.claims().stream().map(bound::get).anyMatch(volume::equals);
  }

  private synchronized void claimGone(String key) {
    if (bound.remove(key) != null) {
      tellWhere(member -> member.claims().contains(key));
    }
  }

  private synchronized void claimSeen(PersistentVolumeClaim claim) {
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
    var namespace = pod.getMetadata().getNamespace() + "/";
    var keys = new HashSet<String>();
    for (var volume : pod.getSpec().getVolumes()) {
      if (volume.getPersistentVolumeClaim() != null) {
        keys.add(namespace + volume.getPersistentVolumeClaim().getClaimName());
      } else if (volume.getEphemeral() != null) {
        keys.add(namespace + name(pod) + "-" + volume.getName());
      }
    }
    return keys;
  }

  private static String key(HasMetadata claim) {
    return claim.getMetadata().getNamespace() + "/" + name(claim);
  }

  private static String name(HasMetadata object) {
    return object.getMetadata().getName();
  }

  @Override
  public void close() {
    watches.close();
  }
}
