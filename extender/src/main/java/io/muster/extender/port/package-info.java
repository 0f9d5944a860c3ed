/** What the rooms around the core need of each other; adapters meet here and nowhere else. */
package io.muster.extender.port;
