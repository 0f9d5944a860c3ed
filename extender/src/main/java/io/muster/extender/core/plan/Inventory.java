package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The ledger: which node each holder (a bound pod, or a reservation for one to come) occupies, and
 * what is left. A holder occupies one node at most. A terminating pod keeps its place until it is
 * gone, as in kube-scheduler. Confined to the decision thread.
 */
public final class Inventory {

  /** What a holder occupies of a node. */
  public record Holding(String node, Resources requests) {}

  private static final NodeState NO_NODE =
      new NodeState(
          new Node("", Map.of(), List.of(), Node.Availability.NOT_READY, Resources.NONE, 0),
          Resources.NONE,
          0);

  private final Map<String, NodeState> rooms = new HashMap<>();
  private final Map<String, NodeState> absent = new HashMap<>();
  private final Map<String, Holding> holdings = new HashMap<>();
  private long roomier;
  private long changes;

  /** Nodes on which something may fit since they were last asked for that did not fit before. */
  private Set<String> roomierNodes = new LinkedHashSet<>();

  /** Nodes of which somebody wants to know when they have changed, and those that have. */
  private final Set<String> watched = new HashSet<>();

  private Set<String> changedNodes = new LinkedHashSet<>();

  private final Totals totals = new Totals();
  private Levels levels;

  /** Made when it is first needed after a node has come or gone. */
  private Optional<Grid> grid = Optional.empty();

  /** No nodes, and the levels that the labels of those to come will show. */
  public Inventory() {
    this(Levels.FOUND);
  }

  /** No nodes yet, in a network of these levels. */
  public Inventory(Levels levels) {
    this.levels = levels;
  }

  /** Takes the levels of the network as they are stated now. */
  public void levels(Levels stated) {
    levels = stated;
    changes++;
    grid.ifPresent(present -> present.levelsChanged(stated));
    rooms.keySet().forEach(this::becameRoomier);
  }

  /** The levels of the network as they are stated. */
  public Levels levels() {
    return levels;
  }

  /** The key of the label of a level, which goes by its name or by that key. */
  public String labelOf(String level) {
    return snapshot().grid().fabric().levels().labelOf(level);
  }

  /** Whether any node is in a domain of the level. */
  public boolean hasLevel(String level) {
    var fabric = snapshot().grid().fabric();
    return fabric.isBorne(fabric.levels().labelOf(level));
  }

  /** Idle nodes that are kept in reserve now. */
  public Set<String> keptNodes() {
    var present = snapshot().grid();
    return present.fabric().kept(present).stream()
        .mapToObj(present::name)
        .collect(Collectors.toSet());
  }

  /** Adds a node or takes its new state; its holders stay. */
  public void seen(Node node) {
    var known = rooms.get(node.name());
    var before = known == null ? absentRoom(node.name()) : known;
    absent.remove(node.name());
    becameRoomier(node.name());
    changed(node.name());
    if (known == null) {
      grid = Optional.empty();
    } else {
      totals.remove(known);
    }
    var room = new NodeState(node, before.used(), before.pods());
    rooms.put(node.name(), room);
    totals.add(room);
    grid.ifPresent(present -> present.nodeChanged(room));
  }

  /** Drops a node; holders that still name it are kept in mind until they go or it comes back. */
  public void gone(String nodeName) {
    var room = rooms.remove(nodeName);
    changed(nodeName);
    if (room != null) {
      grid = Optional.empty();
      totals.remove(room);
      if (room.pods() > 0) {
        absent.put(nodeName, room);
      }
    }
  }

  /**
   * The holder occupies the node from now on, whatever it occupied before. NodeState is not
   * checked.
   */
  public void occupy(String holder, String nodeName, Resources requests) {
    var before = holdings.get(holder);
    if (before != null && before.node().equals(nodeName) && before.requests().equals(requests)) {
      return;
    }
    release(holder);
    holdings.put(holder, new Holding(nodeName, requests));
    replace(nodeName, room(nodeName).orElseGet(() -> absentRoom(nodeName)).with(requests));
  }

  /** Occupies the node only where there is room; says whether there was. */
  public boolean reserve(String holder, String nodeName, Resources requests) {
    if (roomWithout(holder, nodeName).filter(room -> room.hasRoomFor(requests)).isEmpty()) {
      return false;
    }
    occupy(holder, nodeName, requests);
    return true;
  }

  /** The holder occupies nothing any more; says whether it did. */
  public boolean release(String holder) {
    var node = nodeOf(holder);
    setAside(holder);
    node.ifPresent(this::becameRoomier);
    return node.isPresent();
  }

  private void becameRoomier(String nodeName) {
    roomier++;
    roomierNodes.add(nodeName);
  }

  /** The holder occupies nothing for a moment; nothing counts as having come free. */
  public void setAside(String holder) {
    var held = holdings.remove(holder);
    if (held != null) {
      var room = room(held.node()).orElseGet(() -> absentRoom(held.node()));
      replace(held.node(), room.without(held.requests()));
    }
  }

  /** One that was set aside occupies again what it did; nothing is checked. */
  public void putBack(String holder, Holding held) {
    holdings.put(holder, held);
    var room = room(held.node()).orElseGet(() -> absentRoom(held.node()));
    replace(held.node(), room.with(held.requests()));
  }

  /**
   * What the answer would be if these holders occupied nothing. Afterwards all is as it was, and
   * nothing counts as having come free. Each node is checked once, however many leave it.
   *
   * @param question changes nothing here, but that it may have some of the holders occupy what they
   *     did, and set them aside again
   */
  public <T> T asIfGone(Collection<String> holders, Supplier<T> question) {
    var gone = new LinkedHashMap<String, Holding>();
    for (var holder : holders) {
      Optional.ofNullable(holdings.get(holder)).ifPresent(held -> gone.put(holder, held));
    }
    var before = new LinkedHashMap<String, NodeState>();
    var then = new LinkedHashMap<String, NodeState>();
    for (var held : gone.values()) {
      var room = room(held.node()).orElseGet(() -> absentRoom(held.node()));
      before.putIfAbsent(held.node(), room);
      then.merge(
          held.node(), room.without(held.requests()), (known, _) -> known.without(held.requests()));
    }
    holdings.keySet().removeAll(gone.keySet());
    then.forEach(this::replace);
    try {
      return question.get();
    } finally {
      holdings.putAll(gone);
      before.forEach(this::replace);
    }
  }

  /** The node that the holder occupies. */
  public Optional<String> nodeOf(String holder) {
    return Optional.ofNullable(holdings.get(holder)).map(Holding::node);
  }

  /** What the holder occupies, and where. */
  public Optional<Holding> holding(String holder) {
    return Optional.ofNullable(holdings.get(holder));
  }

  /** All that occupy something, as a view. */
  Set<String> holders() {
    return Collections.unmodifiableSet(holdings.keySet());
  }

  /** One node; empty if it is not known. */
  public Optional<NodeState> room(String nodeName) {
    return Optional.ofNullable(rooms.get(nodeName));
  }

  /** That node without what the holder has there, which need not be what it asks for by now. */
  public Optional<NodeState> roomWithout(String holder, String nodeName) {
    var held = holdings.get(holder);
    return room(nodeName)
        .map(room ->
            held != null && held.node().equals(nodeName) ? room.without(held.requests()) : room);
  }

  /** Whether that node is known and takes the demand now. */
  public boolean fits(String nodeName, Demand demand) {
    return room(nodeName).filter(room -> room.fits(demand)).isPresent();
  }

  /** Whether that node would take the demand now if the holder were not there. */
  public boolean keeps(String nodeName, String holder, Demand demand) {
    return roomWithout(holder, nodeName).filter(room -> room.fits(demand)).isPresent();
  }

  /** Whether that node is known and could take the demand, were it empty. */
  public boolean isOpenTo(String nodeName, Demand demand) {
    return room(nodeName).filter(room -> room.isOpenTo(demand)).isPresent();
  }

  /** Whether that node is known and has a taint for which such pods go elsewhere if they can. */
  public boolean repels(String nodeName, Demand demand) {
    return room(nodeName).filter(room -> NodeState.repels(room.node(), demand)).isPresent();
  }

  /** Whether that node is known and has so much free, whatever taints and selectors say. */
  public boolean hasRoomFor(String nodeName, Resources requests) {
    return room(nodeName).filter(room -> room.hasRoomFor(requests)).isPresent();
  }

  /** The same for a pod without a gang: what the node does not list is kube-scheduler's matter. */
  public boolean hasListedRoomFor(String nodeName, Resources requests) {
    return room(nodeName).filter(room -> room.hasListedRoomFor(requests)).isPresent();
  }

  /** Grows with every change. */
  public long changes() {
    return changes;
  }

  /** Grows whenever something may fit that did not fit before. */
  public long generation() {
    return roomier;
  }

  /**
   * The nodes on which something may fit that did not fit when this was last asked; they are told
   * once.
   */
  public Set<String> takeRoomierNodes() {
    var taken = roomierNodes;
    roomierNodes = new LinkedHashSet<>();
    return taken;
  }

  /** From now on changes of that node are told, whether it is there or not. */
  public void watch(String nodeName) {
    watched.add(nodeName);
  }

  /** They are told no longer. */
  public void unwatch(String nodeName) {
    watched.remove(nodeName);
    changedNodes.remove(nodeName);
  }

  /** Watched nodes that have changed since this was last asked; they are told once. */
  public Set<String> takeChangedNodes() {
    var taken = changedNodes;
    changedNodes = new LinkedHashSet<>();
    return taken;
  }

  /** What is free in all, as a view. */
  public Totals totals() {
    return totals;
  }

  /** How many nodes there are. */
  public int nodeCount() {
    return rooms.size();
  }

  /** All nodes, as a view. */
  public Snapshot snapshot() {
    if (grid.isEmpty()) {
      grid = Optional.of(new Grid(rooms.values(), levels));
    }
    return new Snapshot(grid.get(), totals, levels);
  }

  private NodeState absentRoom(String nodeName) {
    return absent.getOrDefault(nodeName, NO_NODE);
  }

  private void changed(String nodeName) {
    changes++;
    if (watched.contains(nodeName)) {
      changedNodes.add(nodeName);
    }
  }

  private void replace(String nodeName, NodeState room) {
    changed(nodeName);
    var known = rooms.get(nodeName);
    if (known != null) {
      rooms.put(nodeName, room);
      totals.usageChanged(known, room);
      grid.ifPresent(present -> present.usageChanged(room));
    } else if (room.pods() > 0) {
      absent.put(nodeName, room);
    } else {
      absent.remove(nodeName);
    }
  }
}
