package io.muster.deploy.board.access;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Somebody as the API server knows them; what it is asked about their rights names all of this.
 * Immutable.
 *
 * @param uid empty where there is none
 * @param extra what authenticators add, such as the scopes of a token
 */
public record Identity(
    String user, String uid, Set<String> groups, Map<String, List<String>> extra) {

  private static final int LONGEST_NAME = 253;
  private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

  public Identity {
    groups = Set.copyOf(groups);
    var copy = new TreeMap<String, List<String>>();
    extra.forEach((key, values) -> copy.put(key, List.copyOf(values)));
    extra = Map.copyOf(copy);
  }

  /**
   * Whose share of what is limited this is: a person's, or that of all ServiceAccounts of one
   * namespace, since whoever may create one there may create a thousand.
   */
  String account() {
    int end = user.indexOf(':', SERVICE_ACCOUNT.length());
    return user.startsWith(SERVICE_ACCOUNT) && end > 0 ? user.substring(0, end) : user;
  }

  /** Where a ServiceAccount is; empty for others. */
  Optional<String> home() {
    var account = account();
    return account.equals(user)
        ? Optional.empty()
        : Optional.of(account.substring(SERVICE_ACCOUNT.length()));
  }

  /** For people and logs: in one line, whatever is in it. */
  String name() {
    var shown = user.length() > LONGEST_NAME ? user.substring(0, LONGEST_NAME) + "..." : user;
    return shown.replaceAll("[\\p{Cc}\\p{Cf}\\u2028\\u2029]", "?");
  }

  /** Whether that is the same person or ServiceAccount, whatever their groups are now. */
  boolean isSameUser(Identity other) {
    return user.equals(other.user) && uid.equals(other.uid);
  }
}
