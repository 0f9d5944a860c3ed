/**
 * What the API of all job kinds has in common. Wire types: a field that is absent in JSON is null
 * in Java, and nowhere else in Muster.
 */
package io.muster.controller.api;
