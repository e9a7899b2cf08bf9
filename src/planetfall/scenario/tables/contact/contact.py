"""`[contact]`: the law between points and ground."""

from typing import Annotated

from planetfall.scenario.tables.contact.anchor import ContactAnchor
from planetfall.scenario.tables.contact.distributed import ContactDistributed
from planetfall.scenario.tables.contact.hertz import ContactHertz
from planetfall.scenario.tables.contact.hunt_crossley import ContactHuntCrossley
from planetfall.scenario.tables.contact.marker import ContactMarker
from planetfall.scenario.tables.contact.plastic import ContactPlastic
from planetfall.scenario.tables.open_union import OpenUnion

Contact = Annotated[
    ContactMarker | ContactAnchor | ContactDistributed | ContactHuntCrossley | ContactHertz | ContactPlastic,
    OpenUnion("contact"),
]
